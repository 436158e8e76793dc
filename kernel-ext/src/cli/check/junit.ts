// Owns: the outcome of notebooks as a JUnit XML file: a suite a notebook, a case a code cell.
// Must not know: how the outcome was reached.
import type { Outcome } from "./outcome";

/** The whole file. */
export function junitText(outcomes: readonly Outcome[]): string {
  const suites = outcomes.map(suite);
  const sum = (key: "tests" | "failures" | "errors"): number =>
    suites.reduce((total, counts) => total + counts[key], 0);
  const seconds = outcomes.reduce((total, outcome) => total + outcome.seconds, 0);
  const head = `name="framelab check" tests="${sum("tests")}" failures="${sum("failures")}" errors="${sum("errors")}"`;
  const body = suites.map(({ text }) => text).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${head} time="${seconds.toFixed(3)}">\n${body}\n</testsuites>\n`;
}

function suite(outcome: Outcome): { text: string; tests: number; failures: number; errors: number } {
  const name = escapeXml(outcome.path);
  const error = outcome.verdict === "unusable";
  // What is wrong with the notebook as a whole is a case of its own.
  const whole =
    outcome.faults.length > 0
      ? [testCase(name, "notebook", outcome.faults, error ? "error" : "failure")]
      : [];
  const cells = outcome.cells.map(({ label, faults }) => testCase(name, label, faults, "failure"));
  const cases = [...whole, ...cells];
  const failed = outcome.cells.filter(({ faults }) => faults.length > 0).length;
  const errors = error ? whole.length : 0;
  const failures = failed + whole.length - errors;
  const counts = `tests="${cases.length}" failures="${failures}" errors="${errors}" skipped="0"`;
  const open = `  <testsuite name="${name}" ${counts} time="${outcome.seconds.toFixed(3)}">`;
  return { text: [open, ...cases, "  </testsuite>"].join("\n"), tests: cases.length, failures, errors };
}

function testCase(
  suiteName: string,
  name: string,
  faults: readonly string[],
  kind: "failure" | "error",
): string {
  const open = `    <testcase classname="${suiteName}" name="${escapeXml(name)}"`;
  if (faults.length === 0) return `${open}/>`;
  const [first = ""] = faults[0]!.split("\n");
  const body = escapeXml(faults.join("\n"));
  return `${open}>\n      <${kind} message="${escapeXml(first)}">${body}</${kind}>\n    </testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Text for XML 1.0: its five characters escaped, what it cannot hold at all (control characters, halves of pairs) as U+FFFD. */
export function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  const forbidden = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]|\p{Surrogate}/gu;
  return text.replace(forbidden, "\ufffd").replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
