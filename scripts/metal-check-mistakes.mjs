// Owns: running the type check over its planted mistakes: each is refused for its own reason, each right form passes.
// Must not know: the kernels.
import { MISTAKES } from "../test/metal/check/mistakes.mjs";
import { checkMetal } from "./metal-check.mjs";

const PROLOGUE = "#include <metal_stdlib>\nusing namespace metal;\n";

/** `[{ name, wrong }]` of the mistakes that the checker handles wrongly, and how many there are. */
export function checkMistakes() {
  const failures = [];
  for (const { name, bad, good, says } of MISTAKES) {
    const refused = checkMetal(PROLOGUE + bad);
    if (refused.length === 0) failures.push({ name, wrong: "passes" });
    else if (!refused.some((line) => says.test(line)))
      failures.push({ name, wrong: `refused for: ${refused.join("; ")}` });
    const accepted = checkMetal(PROLOGUE + good);
    if (accepted.length > 0)
      failures.push({ name, wrong: `its right form is refused: ${accepted.join("; ")}` });
  }
  return { planted: MISTAKES.length, failures };
}
