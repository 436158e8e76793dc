// Owns: one run of the decode bench: its plan file, its process, its rows.
// Must not know: how contenders are compiled, what figures should be.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { buildFolder } from "./folders.mjs";

/** Decoded bytes of one pass: more than the caches of common machines, so that frames go to memory. */
const PASS_BYTES = 2048 * 192 * 192;

/**
 * Verifies and times. `plan` is `{ rounds, threads: [1, 2], sets, contenders }`; sets are those of prepareDataSet.
 * Gives rows `{ case: "group/set", contender, isa, threads, minMs, medianMs, gbPerS }` and the contenders that this
 * machine does not run. Minimum and median are sums over the parts of a pass.
 * @throws when a contender refuses a chunk or gives other values: then nothing was timed.
 */
export function runDecode(program, plan) {
  const lines = [
    ["rounds", plan.rounds],
    ["bytes", PASS_BYTES],
    ...plan.threads.map((count) => ["threads", count]),
    ...plan.sets.map((set) => ["set", set.name, set.elementBytes, set.frameBytes, set.raw, set.chunks]),
    ...plan.contenders.map(({ name, library, decodes, variant }) => [
      "contender",
      ...[name, library, decodes ? "frames" : "limit", variant],
    ]),
  ];
  const file = buildFolder("decode.plan");
  writeFileSync(file, `${lines.map((cells) => cells.join("\t")).join("\n")}\n`);
  const { status, signal, stdout, stderr, error } = spawnSync(program, [file], {
    encoding: "utf8",
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(error?.message ?? (stderr || `the decode bench ended with ${signal}`));
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const byName = new Map(plan.contenders.map((contender) => [contender.name, contender]));
  const groups = new Map(plan.sets.map(({ name, group }) => [name, group]));
  const rows = answers
    .filter(({ set }) => set)
    .map((answer) => rowOf(answer, groups.get(answer.set), byName.get(answer.contender)));
  return { rows, absent: answers.filter(({ skipped }) => skipped).map(({ skipped }) => skipped) };
}

function rowOf({ set, threads, bytes, minMs, medianMs }, group, { contender, isa }) {
  return { case: `${group}/${set}`, contender, isa, threads, minMs, medianMs, gbPerS: bytes / minMs / 1e6 };
}
