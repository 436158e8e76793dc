// Owns: the forms of the kernels that the bench compares: the shipped text with its bounds taken out or written otherwise.
// Must not know: how a form is compiled or timed. Nothing made here is shipped or embedded.

// The bounds of metal/04-uniform.metal, each a piece of text that must occur there exactly once.
const U = {
  run1: "for (; more == 255u && at < end; ++at) {  // bound 1",
  ended1: "            valid = valid && more != 255u;  // bound 1\n",
  read2:
    "        valid = valid && literals <= end - at;  // bound 2\n        literals = min(literals, end - at);\n",
  write3:
    "        valid = valid && literals <= room - done;  // bound 3\n        literals = min(literals, room - done);\n",
  read4: "            valid = valid && end - at >= 2u;  // bound 4\n",
  offset: "            const uint offset = uint(stream[at])",
  step4: "            at = min(at + 2u, end);\n",
  run7: "for (; more == 255u && at < end; ++at) {  // bound 7",
  ended7: "                valid = valid && more != 255u;  // bound 7\n",
  reach56:
    "            const bool reaches = offset - 1u < done;  // bounds 5 and 6: 0 wraps to the largest value\n            valid = valid && reaches;\n",
  write8: "            valid = valid && length <= room - done;  // bound 8\n",
  cut8: "            length = reaches ? min(length, room - done) : 0u;\n",
  final9: "return valid && at == end && done == room;  // bound 9",
};

// Without any of the nine. What ends the parse stays: `at < end` twice, and the step limit.
const UNIFORM_BASE = {
  run1: "for (; more == 255u; ++at) {",
  ended1: "",
  read2: "",
  write3: "",
  read4: "",
  step4: "            at += 2u;\n",
  run7: "for (; more == 255u; ++at) {",
  ended7: "",
  reach56: "",
  write8: "",
  cut8: "",
  final9: "return valid;",
};

const KEEP = (...names) => Object.fromEntries(names.map((name) => [name, U[name]]));
const READS = KEEP("run1", "ended1", "read2", "read4", "step4", "run7", "ended7");
const WRITES = { ...KEEP("write3", "write8"), cut8: "            length = min(length, room - done);\n" };

/** Every refusal handled by one statement, `leave`, lengths left as they are. */
const leaving = (leave) => ({
  ended1: `            if (more == 255u) ${leave}\n`,
  read2: `        if (literals > end - at) ${leave}\n`,
  write3: `        if (literals > room - done) ${leave}\n`,
  read4: `            if (end - at < 2u) ${leave}\n`,
  step4: "            at += 2u;\n",
  ended7: `                if (more == 255u) ${leave}\n`,
  reach56: `            if (offset - 1u >= done) ${leave}\n`,
  write8: `            if (length > room - done) ${leave}\n`,
  cut8: "",
});

const SELECTED = {
  read2:
    "        const bool fits_stream = literals <= end - at;\n        valid = valid && fits_stream;\n        literals = fits_stream ? literals : 0u;\n",
  write3:
    "        const bool fits_room = literals <= room - done;\n        valid = valid && fits_room;\n        literals = fits_room ? literals : 0u;\n",
  write8:
    "            const bool match_fits = length <= room - done;\n            valid = valid && match_fits;\n",
  cut8: "            length = reaches && match_fits ? length : 0u;\n",
};

const CLAMPED_OFFSET = {
  offset: "            uint offset = uint(stream[at])",
  reach56:
    "            valid = valid && offset - 1u < done;\n            offset = max(1u, min(offset, done));\n",
  cut8: "            length = done != 0u ? min(length, room - done) : 0u;\n",
};

const COUNTED = Object.fromEntries(
  Object.entries(U)
    .filter(([, text]) => text.includes("valid = valid && "))
    .map(([name, text]) => [name, text.replace(/valid = valid && ([^;]+);/, "refusals += ($1) ? 0u : 1u;")]),
);

// The bounds of metal/05-windowed.metal. `next <= left` stays in the base: it is what ends a window's parse.
const W = {
  vote: "    if (simd_any((leads && c.offset - 1u >= match_to) || all > room - progress->done)) return false;  // bounds 3, 5, 6, 8\n",
  run1: "for (; stops == 0u && at < end; at += kLanes) {  // a run of 0xff, 32 bytes a vote\n            literals",
  ended1: "        if (stops == 0u) return false;  // bound 1\n",
  past1: "        if (at > end) return false;  // bound 1\n",
  literals:
    "    if (literals > end - at || literals > room - progress->done) return false;  // bounds 2 and 3\n",
  read4: "    if (end - at < 2u) return false;  // bound 4\n",
  run7: "for (; stops == 0u && at < end; at += kLanes) {  // a run of 0xff, 32 bytes a vote\n            length",
  ended7: "        if (stops == 0u) return false;  // bound 7\n",
  past7: "        if (at > end) return false;  // bound 7\n",
  match:
    "    if (offset - 1u >= progress->done || length > room - progress->done) return false;  // bounds 5, 6 and 8\n",
  final9: "return progress.at == end && progress.done == room;  // bound 9",
};
const WINDOWED_BASE = {
  vote: "",
  run1: "for (; stops == 0u; at += kLanes) {\n            literals",
  ended1: "",
  past1: "",
  literals: "",
  read4: "",
  run7: "for (; stops == 0u; at += kLanes) {\n            length",
  ended7: "",
  past7: "",
  match: "",
  final9: "return true;",
};

const uniform = (edits) => ({ uniform: { ...edits } });
const ATTRIBUTION = /^fused_uniform_u16$/;

/** `{ name, only, uniform, windowed, declare }`: edits by the names above; `only` names the kernels compiled. */
export const FORMS = [
  { name: "shipped", only: /./ },
  // The unshuffle kernels have no bounds to take out; they let the scratch path of this form run to its end.
  {
    name: "base",
    only: /^(fused_\w+|decode_scratch|unshuffle_\w+|copy_raw)$/,
    uniform: UNIFORM_BASE,
    windowed: WINDOWED_BASE,
  },
  {
    name: "final_check_only",
    only: /^fused_(uniform|windowed)_u16$/,
    uniform: { ...UNIFORM_BASE, final9: "return at == end && done == room;" },
    windowed: { ...WINDOWED_BASE, final9: W.final9 },
  },
  { name: "write_bounds_only", only: ATTRIBUTION, ...uniform({ ...UNIFORM_BASE, ...WRITES }) },
  { name: "read_bounds_only", only: ATTRIBUTION, ...uniform({ ...UNIFORM_BASE, ...READS }) },
  { name: "early_return", only: ATTRIBUTION, ...uniform(leaving("return false;")) },
  {
    name: "unchecked_extension_loops",
    only: ATTRIBUTION,
    ...uniform({ run1: UNIFORM_BASE.run1, ended1: "", run7: UNIFORM_BASE.run7, ended7: "" }),
  },
  { name: "break", only: ATTRIBUTION, ...uniform(leaving("{ valid = false; break; }")) },
  { name: "if_else_skip", only: ATTRIBUTION, ...uniform(leaving("{ valid = false; at = end; continue; }")) },
  { name: "zeroed_by_select", only: ATTRIBUTION, ...uniform(SELECTED) },
  { name: "clamped_by_min", only: ATTRIBUTION, ...uniform(CLAMPED_OFFSET) },
  {
    name: "counted_in_an_integer",
    only: ATTRIBUTION,
    ...uniform({ ...COUNTED, final9: "return refusals == 0u && at == end && done == room;" }),
    declare: ["    bool valid = true;\n", "    uint refusals = 0u;\n"],
  },
];

function replaceOnce(text, from, to, where) {
  if (text.split(from).length !== 2) throw new Error(`${where}: its text does not occur exactly once`);
  return text.replace(from, () => to);
}

/** The text of one form, made from metal/'s files. */
export function formText(form, files) {
  return files.map(({ name, text }) => {
    let out = text;
    const apply = (pieces, edits, design) => {
      for (const [key, to] of Object.entries(edits ?? {}))
        out = replaceOnce(out, pieces[key], to, `${form.name}, ${design} ${key}`);
    };
    if (name === "04-uniform.metal") {
      apply(U, form.uniform, "uniform");
      if (form.declare) out = replaceOnce(out, ...form.declare, `${form.name}, declaration`);
    }
    if (name === "05-windowed.metal") apply(W, form.windowed, "windowed");
    return { name, text: out };
  });
}
