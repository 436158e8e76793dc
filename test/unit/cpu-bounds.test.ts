// Owns: every instruction set refuses a damaged block for the same reason as the reference, and accepts the same bytes.
// Must not know: files, batches. A short slice of `npm run fuzz`, through the addon.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadAddon } from "#framelab/backends/addon";
import { chunkFormat } from "#framelab/backends/cpu/format";
import { decodeChunk } from "#framelab/backends/reference/decode-chunk";
import { decodeLz4Block } from "#framelab/backends/reference/lz4-block";
import { DAMAGE_REASONS } from "#framelab/damage/reasons";
import { lowerFilters } from "#framelab/filters/lower";
import { BITSHUFFLE_FILTER, bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";
import { seededRandom } from "../parity/sources";
import { BLOCK_LAYOUTS, mutatedStreams } from "./mutations";

const loaded = loadAddon();
const addon = "addon" in loaded ? loaded.addon : null;
const skip = addon ? false : `no native addon: ${"reason" in loaded ? loaded.reason : ""}`;
const isas = addon?.isas().filter((isa) => isa.supported) ?? [];
const NINE_BOUNDS = DAMAGE_REASONS.slice(0, 9).map(({ code }) => code);

describe("native bounds", { skip }, () => {
  for (const layout of BLOCK_LAYOUTS) {
    it(`refuses damaged blocks of ${layout.name} as the reference does`, () => {
      const seen = new Map<string, number>();
      const size = layout.elements * layout.elementBytes;
      let at = 0;
      for (const stream of mutatedStreams(layout, 1500, seededRandom(size))) {
        const expected = new Uint8Array(size);
        const { reason } = decodeLz4Block(stream, expected);
        seen.set(reason ?? "accepted", 1 + (seen.get(reason ?? "accepted") ?? 0));
        const number = reason === null ? 0 : 1 + NINE_BOUNDS.indexOf(reason);
        for (const { name } of isas) {
          const out = new Uint8Array(size).fill(0x5a);
          const where = `stream ${at}, ${name}: ${Buffer.from(stream.subarray(0, 64)).toString("hex")}…`;
          assert.equal(addon!.decodeBlock({ isa: name, stream, out }), number, where);
          if (reason === null) assert.ok(Buffer.from(expected.buffer).equals(out), where);
        }
        at++;
      }
      for (const bound of [...NINE_BOUNDS, "accepted"]) assert.ok(seen.get(bound), `${bound} never occurred`);
    });
  }

  it("refuses a damaged chunk where the reference does, whatever byte is wrong", () => {
    const random = seededRandom(3);
    const elements = 4096 + 512 + 3;
    const source = Uint8Array.from({ length: 2 * elements }, (_, i) =>
      i % 2 ? 0 : Math.floor(9 * random() ** 4),
    );
    const intact = encodeChunk(source, 2);
    const program = lowerFilters({
      filters: [{ id: BITSHUFFLE_FILTER, name: "bitshuffle", values: bitshuffleValues(2) }],
      dtype: "u16",
      littleEndian: true,
      chunkElements: elements,
      place: "test",
    });
    const lowered = chunkFormat(program);
    assert.ok("format" in lowered);
    let refused = 0;
    for (let i = 0; i < 1500; i++) {
      // Headers and block lengths are met often, the middle now and then; some chunks are cut.
      const stored = Uint8Array.from(
        intact.subarray(0, i % 5 === 0 ? Math.floor(random() * intact.length) : undefined),
      );
      const at = Math.floor(random() * (i % 2 ? 20 : stored.length));
      if (at < stored.length) stored[at] = Math.floor(random() * 256);
      const expected = new Uint8Array(2 * elements);
      const damage = decodeChunk(program, stored, 0, expected);
      if (damage.length > 0) refused++;
      for (const { name } of isas) {
        const out = new Uint8Array(2 * elements);
        const number = addon!.decodeChunk({ ...lowered.format, isa: name, filterMask: 0, stored, out });
        assert.equal(
          number,
          damage.length === 0 ? 0 : 1 + codeIndex(damage[0]!.reason),
          `chunk ${i}, ${name}`,
        );
        if (number === 0) assert.ok(Buffer.from(expected.buffer).equals(out), `chunk ${i}, ${name}`);
      }
    }
    assert.ok(refused > 500 && refused < 1500, `${refused} chunks refused`);
  });
});

function codeIndex(reason: string): number {
  return DAMAGE_REASONS.findIndex(({ code }) => code === reason);
}
