// Owns: the report of a run on a user's Mac: what a test runner's output says, and the text to paste in an issue.
// Must not know: how tests are run, or on what.

/** Counts, failed tests and skips with their reasons, of node:test's spec output. */
export function readTestRun(output) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal are control characters
  const text = output.replace(/\u001b\[[\d;]*m/g, "");
  const count = (name) => Number(new RegExp(`^ℹ ${name} (\\d+)$`, "m").exec(text)?.[1] ?? Number.NaN);
  // What failed is listed once more at the end, behind its heading.
  const tree = text.split(/^✖ failing tests:$/m)[0];
  const lines = (mark, pattern) => [...tree.matchAll(new RegExp(`^ *${mark} ${pattern}$`, "gm"))];
  return {
    passed: count("pass"),
    failed: count("fail") + count("cancelled"),
    skipped: count("skipped"),
    failures: lines("✖", "(.*?)(?: \\([\\d.]+ms\\))?").map(([, name]) => name),
    reasons: [...new Set(lines("﹣", ".*? # (.*)").map(([, reason]) => reason))].sort(),
  };
}

const list = (title, items) => (items.length === 0 ? [] : [title, ...items.map((item) => `* ${item}`), ""]);

/** What the whole run comes to, in one line that does not flatter. */
function verdict({ metal, run }) {
  if (Number.isNaN(run.passed)) return "**The tests did not run to their end.**";
  if (run.failed > 0) return `**${run.failed} of the tests failed.**`;
  if (metal.reason) return `**Metal was not tested: ${metal.reason}.** Everything else passed.`;
  return "**All tests passed, with Metal among the backends.**";
}

/**
 * The report as Markdown. `facts`: `version`, `commit`, `system` (rows of `[what, value]`), `metal` (`{ device }` or
 * `{ reason }`), `validation` (the variables set), `run` (of `readTestRun`).
 */
export function metalReport(facts) {
  const { version, commit, system, metal, validation, run } = facts;
  const rows = [
    ["FrameLab", `${version}, commit ${commit}`],
    ...system,
    ["Metal", metal.device ?? `not used: ${metal.reason}`],
    [
      "validation",
      Object.entries(validation)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
    ],
    ["tests", `${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped`],
  ];
  return [
    "## FrameLab on Metal",
    "",
    verdict(facts),
    "",
    "| | |",
    "|---|---|",
    ...rows.map(
      ([what, value]) => `| ${what} | ${String(value).replaceAll("|", "\\|").replaceAll("\n", " ")} |`,
    ),
    "",
    ...list("Failed:", run.failures),
    ...list("Skipped, because:", run.reasons),
  ].join("\n");
}
