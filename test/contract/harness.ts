// Owns: running one suite on every backend that this machine has, and a scratch folder for its files.
// Must not know: what the suite checks.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type BackendName, type Dtype, type Frames, type LoadOptions, load } from "framelab";
import { BACKENDS } from "#framelab/backends/registry";
import { Random } from "../fixtures/random";

/** Backends that open here; `reference` always does. */
export const BACKENDS_HERE: readonly BackendName[] = BACKENDS.filter(({ open }) => "backend" in open()).map(
  ({ name }) => name,
);

/** A folder that is gone after the file's tests. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "framelab-contract-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Loads silently on one backend. */
export function loadOn(
  backend: "auto" | BackendName,
  path: string,
  options: LoadOptions = {},
): Promise<Frames> {
  return load(path, { progress: false, backend, ...options });
}

/** Bytes of an ndarray's whole data, little-endian as every supported machine is. */
export function bytesOf(frames: { readonly data: ArrayBufferView }): Buffer {
  return Buffer.from(frames.data.buffer, frames.data.byteOffset, frames.data.byteLength);
}

/** Small counts in a dtype, seeded: a function from frame number to its bytes. */
export function countFrames(
  dtype: Dtype,
  height: number,
  width: number,
  seed = 1,
): (i: number) => Uint8Array {
  return (i) => {
    const random = new Random(seed, i);
    const frame = new Uint8Array(height * width * (Number(dtype.slice(1)) / 8));
    const view = new DataView(frame.buffer);
    const lowest = dtype.startsWith("u") ? 0 : -2;
    for (let at = 0; at < height * width; at++) PUT[dtype](view, at, random.poisson(Math.exp(-3)) + lowest);
    return frame;
  };
}

type Put = (view: DataView, at: number, value: number) => void;

/** Writes one element, little-endian; floats get quarters, so that they are no integers. */
const PUT: Readonly<Record<Dtype, Put>> = {
  u8: (view, at, value) => view.setUint8(at, value),
  i8: (view, at, value) => view.setInt8(at, value),
  u16: (view, at, value) => view.setUint16(at * 2, value, true),
  i16: (view, at, value) => view.setInt16(at * 2, value, true),
  u32: (view, at, value) => view.setUint32(at * 4, value, true),
  i32: (view, at, value) => view.setInt32(at * 4, value, true),
  u64: (view, at, value) => view.setBigUint64(at * 8, BigInt(value), true),
  i64: (view, at, value) => view.setBigInt64(at * 8, BigInt(value), true),
  f32: (view, at, value) => view.setFloat32(at * 4, value / 4, true),
  f64: (view, at, value) => view.setFloat64(at * 8, value / 4, true),
};

/** Frames one after the other. */
export function stack(frames: (i: number) => Uint8Array, list: readonly number[]): Buffer {
  return Buffer.concat(list.map((i) => frames(i)));
}

export const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
