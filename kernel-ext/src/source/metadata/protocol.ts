// Owns: the questions that can be put to the metadata worker about one HDF5 file, and their answers.
// Must not know: h5wasm, threads, what an acquisition is. Everything here can be sent between threads.
import type { Dtype } from "../../types";
import type { FilterFact } from "../acquisition";

/** What HDF5 says about a dataset without reading any of its elements. */
export interface DatasetMetadata {
  /** null = no dataspace extent (an "empty" dataset); [] = a scalar. */
  readonly shape: readonly number[] | null;
  /** null = unlimited. */
  readonly maxShape: readonly (number | null)[];
  /** null = an element type that is not a plain integer or float; `typeName` says which. */
  readonly dtype: Dtype | null;
  readonly typeName: string;
  readonly littleEndian: boolean;
  readonly filters: readonly FilterFact[];
  /** Its elements lie in other datasets. Then only `headerAddress` is known here: HDF5 is not asked. */
  readonly isVirtual: boolean;
  /** Address of the object header, relative to the superblock's base address. */
  readonly headerAddress: number;
}

/** Attribute values by name; an attribute that is absent or not numeric is left out. */
export type Attributes = Readonly<Record<string, readonly number[]>>;

/** Where a path leads. Soft links are followed, external links never: `external` says where to go on. */
export type Node =
  | {
      readonly kind: "dataset";
      readonly path: string;
      readonly metadata: DatasetMetadata;
      readonly attributes: Attributes;
    }
  | { readonly kind: "group"; readonly path: string; readonly attributes: Attributes }
  | { readonly kind: "external"; readonly at: string; readonly file: string; readonly target: string }
  | { readonly kind: "missing"; readonly at: string; readonly why: string };

/** An integer dataset [rows, cols] read whole, or why it was not read. */
export type Grid =
  | { readonly kind: "grid"; readonly shape: readonly [number, number]; readonly values: Uint32Array }
  | { readonly kind: "absent" }
  | { readonly kind: "refused"; readonly shape: readonly number[] | null; readonly why: string };

/** One line of a file's table of contents. */
export interface ListedDataset {
  readonly path: string;
  /** null = a link to another file. */
  readonly shape: readonly number[] | null;
  /** Element type, or the file that a link names. */
  readonly holds: string;
}

/** A single number or text of a file; 64-bit integers past 2^53 and numbers that are none are texts. */
export interface ListedValue {
  readonly path: string;
  readonly value: number | string;
  /** Attribute `units`, or null. */
  readonly units: string | null;
}

/** Answer to each kind of question. */
export interface Answers {
  /** Where `path` leads, with the numeric attributes asked for. */
  readonly object: Node;
  /** Names in the group at `path` that pass `pattern`; none when there is no such group in this file. */
  readonly names: readonly string[];
  /** The single number stored at `path`; null when absent or not one number. */
  readonly scalar: number | null;
  /** Text or list of texts stored at `path`; null when absent or something else. */
  readonly texts: readonly string[] | null;
  readonly grid: Grid;
  /** Datasets of the file with at least two axes, and its links to other files; at most `limit`. */
  readonly contents: readonly ListedDataset[];
  /** Every dataset of one number or text, in the order of its groups; at most `limit`. */
  readonly values: readonly ListedValue[];
}

export type Query =
  | { readonly ask: "object"; readonly path: string; readonly attributes?: readonly string[] }
  | { readonly ask: "names"; readonly path: string; readonly pattern: RegExp }
  | { readonly ask: "scalar"; readonly path: string }
  | { readonly ask: "texts"; readonly path: string }
  | { readonly ask: "grid"; readonly path: string; readonly maxBytes: number }
  | { readonly ask: "contents"; readonly limit: number }
  | { readonly ask: "values"; readonly limit: number };

/** The answer that belongs to a query, or the words of the HDF5 library where it gave up. */
export type AnswerTo<Q extends Query> = { readonly ok: Answers[Q["ask"]] } | { readonly failed: string };

/** A compiled WebAssembly module, which threads can share; opaque to everybody but the worker. */
export type CompiledModule = object;

/** What a worker is started with. */
export interface WorkerStart {
  /** Most WebAssembly memory that it may have. */
  readonly maxBytes: number;
  /** h5wasm as an earlier worker compiled it. */
  readonly compiled: CompiledModule | null;
}

/** The worker answers requests in their order. */
export interface Request {
  readonly file: string;
  readonly queries: readonly Query[];
}

export type Reply =
  | { readonly kind: "ready"; readonly compiled: CompiledModule | null }
  /** Fewer answers than queries when one of them trapped: the last answer is that one's. */
  | {
      readonly kind: "answers";
      readonly answers: readonly AnswerTo<Query>[];
      /** The HDF5 library was left by an exception: this instance answers no further request, and gives no reply. */
      readonly spent: boolean;
    }
  /** It is no file any more, or none that may be read. */
  | { readonly kind: "gone"; readonly why: string }
  /** The HDF5 library cannot open the file. */
  | { readonly kind: "unreadable"; readonly why: string }
  /** The WebAssembly instance trapped while it opened or closed the file, and gives no further reply. */
  | { readonly kind: "trap"; readonly why: string };
