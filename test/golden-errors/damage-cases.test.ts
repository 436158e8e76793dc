// Owns: realistic damage to one frame of a stack, explained: block, place in the file, reason; the other frames exact.
// Must not know: how a chunk is decoded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Explanation, explainChunk } from "#framelab/damage/explain";
import { DAMAGE_REASONS } from "#framelab/damage/reasons";
import { lowerFilters } from "#framelab/filters/lower";
import { chunkPlaces, encodeChunk, joinBytes } from "../fixtures/bitshuffle-encoder";
import { blockDamageCases, type DamageCase, halvedLengthCases } from "../fixtures/damage";
import { codeCases } from "../fixtures/damage-codes";
import { lengthCases } from "../fixtures/damage-lengths";
import { dtypeBytes } from "../fixtures/hdf5-writer";

const ADDRESS = 7000;

/** Frame `i` of a case, as the chunk index declares it, with the stored bytes of the next frame right behind. */
function explain(damage: DamageCase, i: number): Explanation {
  const program = lowerFilters({
    filters: damage.filters.map(({ id, values }) => ({ id, name: "", values })),
    dtype: damage.dtype,
    littleEndian: true,
    chunkElements: damage.height * damage.width,
    place: "test",
  });
  const chunk = damage.stored(i);
  const bytes = chunk.declaredBytes ?? chunk.bytes.length;
  const stored = joinBytes([chunk.bytes, damage.stored(0).bytes]).subarray(0, bytes);
  const place = { file: "/a.h5", dataset: "/d", fileBytes: 1e6, address: ADDRESS, bytes };
  const frames = [{ frame: i, scan: null }];
  // An address past the end of the file: there is nothing to hand over.
  const read = chunk.declaredAddress === undefined ? stored : null;
  return explainChunk(program, read, chunk.filterMask ?? 0, { ...place, frames });
}

/** Where a block of the undamaged frame lies; damage to one block leaves those before it, and its own start, alone. */
function blockOffset(damage: DamageCase, block: number): number {
  const elementBytes = dtypeBytes(damage.dtype);
  const intact = encodeChunk(damage.elements(damage.damagedFrame), elementBytes, damage.blockElements);
  return ADDRESS + chunkPlaces(intact, elementBytes).blocks[block]!.lengthAt;
}

const CASES = {
  "32 kinds of block damage": blockDamageCases(),
  "halved block lengths": halvedLengthCases(),
  "lying lengths": lengthCases(),
  "every code": codeCases(),
};

for (const [kind, cases] of Object.entries(CASES)) {
  for (const damage of cases) {
    test(`${kind}: ${damage.name}`, () => {
      for (let i = 0; i < damage.frames; i++) {
        const { damaged, decoded } = explain(damage, i);
        if (i !== damage.damagedFrame) {
          assert.deepEqual(damaged, []);
          assert.ok(Buffer.from(damage.elements(i)).equals(decoded!), `frame ${i} is exact`);
          continue;
        }
        assert.equal(decoded, null);
        const first = damaged[0]!;
        assert.equal(first.frame, i);
        if (damage.block !== undefined) assert.equal(first.block, damage.block);
        if (damage.reason) assert.equal(first.reason, damage.reason);
        if (first.block !== null) assert.equal(first.offset, blockOffset(damage, first.block));
        if (kind === "32 kinds of block damage") assert.equal(damaged.length, 1);
      }
    });
  }
}

test("the cases are all there and meet every reason", () => {
  assert.equal(CASES["32 kinds of block damage"].length, 32);
  const reasons = new Set(CASES["every code"].map(({ reason }) => reason));
  assert.deepEqual([...reasons].sort(), DAMAGE_REASONS.map(({ code }) => code).sort());
});

test("a halved or shortened block length is found in that very block", () => {
  for (const [damage, block] of [
    ...halvedLengthCases().map((halved) => [halved, 0] as const),
    ...lengthCases()
      .filter(({ name }) => name.startsWith("block declared"))
      .map((short) => [short, 1] as const),
  ]) {
    assert.equal(explain(damage, damage.damagedFrame).damaged[0]!.block, block, damage.name);
  }
});
