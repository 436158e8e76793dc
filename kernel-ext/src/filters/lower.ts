// Owns: lowering a dataset's filter pipeline to a decode program.
// Must not know: chunk bytes, backends, what a filter's client data means.

import { UnsupportedFilterError, UnsupportedLayoutError } from "../errors";
import { dtypeBytes } from "../pixel-arrays";
import type { FilterFact } from "../source/acquisition";
import type { Dtype } from "../types";
import type { Program, Step } from "./program";
import { FILTERS, filterName, findFilter } from "./registry";

/** The facts of a dataset that decide how its chunks decode. */
export interface LowerFacts {
  /** As stored: in the order in which they were applied when writing. */
  readonly filters: readonly FilterFact[];
  readonly dtype: Dtype;
  readonly littleEndian: boolean;
  /** Elements of one whole chunk. */
  readonly chunkElements: number;
  /** File and dataset, for messages. */
  readonly place: string;
}

/** A chunk's filter mask has 32 bits, and HDF5 allows no more filters. */
const MOST_FILTERS = 32;

/**
 * Lowers a pipeline to the steps that undo it, last filter first.
 * @throws UnsupportedFilterError a filter that is not decoded, with id and name.
 * @throws UnsupportedLayoutError a chunk size that no chunk can have.
 */
export function lowerFilters(facts: LowerFacts): Program {
  const elementBytes = dtypeBytes(facts.dtype);
  const chunkBytes = facts.chunkElements * elementBytes;
  if (!Number.isSafeInteger(chunkBytes) || chunkBytes <= 0) {
    throw new UnsupportedLayoutError(`${facts.place} has chunks of ${facts.chunkElements} elements.`, {
      place: facts.place,
      expected: "1 element or more, below 2^53 bytes",
      got: `${facts.chunkElements} elements of ${elementBytes} bytes`,
    });
  }
  if (facts.filters.length > MOST_FILTERS) {
    throw new UnsupportedFilterError(`${facts.place} has ${facts.filters.length} filters.`, {
      place: facts.place,
      expected: `at most ${MOST_FILTERS} filters`,
      got: `${facts.filters.length}`,
    });
  }

  const steps: Step[] = [];
  let inputBytes: number | null = chunkBytes;
  for (const [filter, fact] of facts.filters.entries()) {
    const known = findFilter(fact.id);
    if (!known) throw refusal(facts.place, fact, null);
    const refuse = (why: string): never => {
      throw refusal(facts.place, fact, why);
    };
    const undo = known.lower({ filter, values: fact.values, elementBytes, inputBytes, refuse });
    steps.unshift(...undo);
    if (undo.some(compressed) || inputBytes === null) inputBytes = null;
    else inputBytes += known.addedBytes;
  }
  if (!facts.littleEndian && elementBytes > 1) steps.push({ op: "byteswap", elementBytes });
  return { steps, elementBytes, chunkBytes };
}

function compressed(step: Step): boolean {
  return step.op === "lz4-block" || step.op === "inflate";
}

function refusal(place: string, fact: FilterFact, why: string | null): UnsupportedFilterError {
  const name = filterName(fact.id, fact.name);
  const decoded = FILTERS.map((filter) => `${filter.name} (${filter.id})`).join(", ");
  const reason = why ?? "FrameLab has no decoder for it";
  return new UnsupportedFilterError(
    `${place} uses filter ${fact.id} (${name}), which cannot be decoded: ${reason}.`,
    {
      place,
      expected: decoded,
      got: `${fact.id} (${name}) with client data [${fact.values.join(", ")}]`,
      todo: `Rewrite the dataset with bitshuffle+LZ4 or without a filter (h5repack -f NONE, with the filter's plugin installed). Decoded here: ${decoded}.`,
    },
  );
}
