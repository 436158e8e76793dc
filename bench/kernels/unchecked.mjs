// Owns: the cpu decoder's LZ4 block loop without its checks, made from the shipped text, to say what the checks cost.
// Must not know: how it is compiled or timed. It is written under build/bench alone: nothing that ships includes it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../../scripts/run-step.mjs";
import { buildFolder } from "../harness/folders.mjs";

/** The checked loop, relative to `native/`. */
export const BLOCK_HEADER = "codecs/lz4/block.h";

/** A refusal: one `if` whose whole body returns a reason. Its condition may span lines and hold calls. */
const REFUSAL =
  /^([ \t]*)if \(((?:[^;{}])*?)\)\s*return (Reason::(?!ok\b)\w+|bad_offset\(\w+\)|refuse\w*\([^;]*\));[^\n]*\n/gm;
/** Steps that a refusal's condition takes: they stay, and their answer is not asked. */
const STEP = /!?(Copy::\w+\([^;]*?\))$/;

/**
 * The text without every refusal of a sequence. The fast loop keeps its end of the stream (it must stop), not that of
 * the block: valid streams end there together. Lengths are still added up with their own end.
 * @throws when no refusal is found: then the shipped text has another form and this one must follow.
 */
export function uncheckedBlock(text) {
  let removed = 0;
  const without = text.replace(REFUSAL, (_, indent, condition) => {
    removed += 1;
    const parts = condition.split(/\s*&&\s*/);
    const step = STEP.exec(parts.at(-1));
    if (step === null) return "";
    const only = parts.slice(0, -1).join(" && ");
    return `${indent}${only ? `if (${only}) ` : ""}(void)${step[1]};\n`;
  });
  if (removed < 5) throw new Error(`${BLOCK_HEADER}: ${removed} refusals found, there are more`);
  return { text: without.replace(" && out_ <= out_fast", ""), removed };
}

/** Writes the unchecked header under build/bench. Gives the folder to include before `native/`. */
export function writeUnchecked() {
  const folder = buildFolder("unchecked");
  const file = join(folder, BLOCK_HEADER);
  const { text } = uncheckedBlock(readFileSync(join(root, "native", BLOCK_HEADER), "utf8"));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return folder;
}
