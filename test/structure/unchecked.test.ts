// Owns: the decoder without checks exists in the bench alone, follows the shipped text, and is compiled as that is.
// Must not know: what it is timed against.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const root = join(__dirname, "..", "..", "..");
const read = (...parts: string[]): string => readFileSync(join(root, ...parts), "utf8");
const load = (...parts: string[]) => import(pathToFileURL(join(root, "bench", ...parts)).href);

test("every refusal of a sequence is taken out of the block loop, and nothing else", async () => {
  const { uncheckedBlock, BLOCK_HEADER } = await load("kernels", "unchecked.mjs");
  const shipped = read("native", BLOCK_HEADER);
  const { text, removed } = uncheckedBlock(shipped) as { text: string; removed: number };
  const refusals = (code: string) => [...code.matchAll(/^.*\breturn (Reason::\w+|bad_offset\()/gm)].length;
  assert.ok(removed >= 5);
  // What a step returns and the verdict on the whole block stay.
  assert.ok(refusals(text) <= refusals(shipped) - removed);
  for (const name of [
    "literals_past_stream",
    "literals_past_block",
    "match_past_block",
    "offset_truncated",
  ]) {
    assert.ok(shipped.includes(name) && !text.includes(name), name);
  }
  assert.throws(() => uncheckedBlock("int nothing;\n"), /refusals found/);
});

test("nothing that ships knows the unchecked form", () => {
  const { files } = JSON.parse(read("package.json")) as { files: string[] };
  assert.ok(!files.some((entry) => entry.startsWith("bench")));
  const sources = readdirSync(join(root, "native"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(h|cc|mm|gyp)$/.test(file) && !file.startsWith("build"))
    .map((file) => read("native", file));
  assert.ok(sources.length > 20);
  for (const source of sources) assert.ok(!/unchecked|bench\//.test(source));
});

test("it is compiled with the flags of the shipped sets", async () => {
  const gyp = read("native", "binding.gyp");
  const decoders = read("bench", "contenders", "decoders.mjs");
  for (const flag of decoders.matchAll(/"(-m(?:avx|gfni|prfchw)\w*)"/g))
    assert.ok(gyp.includes(`"${flag[1]}"`));
  const avx512 = /"avx512_flags": \[([^\]]*)\]/.exec(gyp)?.[1] ?? "";
  const flags = [...avx512.matchAll(/"(-m\w+)"/g)].map(([, flag]) => flag!);
  assert.ok(flags.length >= 5);
  for (const flag of flags) assert.ok(decoders.includes(`"${flag}"`), flag);
});
