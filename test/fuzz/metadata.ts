// Owns: the metadata fuzz: mutated files through `load`, each judged, with a good file loaded after each.
// Must not know: how files are read.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FrameLabError, type Frames, load } from "framelab";
import { Random } from "../fixtures/random";
import { type JudgedFrame, judgedFrames } from "./judge";
import { Victim } from "./mutate";
import { type Sample, writeSamples } from "./samples";

/**
 * Bounds of one file: processor time of its load over all threads (a metadata worker starts in 0.25 s on a slow machine,
 * and every question that HDF5 fails on costs one), its time on the clock (which a busy machine
 * stretches), and memory that the process grew by since it started.
 */
export const MAX_SECONDS = 4;
export const MAX_CLOCK_SECONDS = 15;
export const MAX_GROWTH_BYTES: number = 512 * 2 ** 20;
/** Decoded frames of a sample take kilobytes. */
const MEMORY_LIMIT = 64 * 2 ** 20;

/** What became of the mutated files, and everything that must not happen. */
export interface FuzzResult {
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly string[];
  readonly slowestSeconds: number;
  readonly growthBytes: number;
}

export interface FuzzOptions {
  readonly files: number;
  readonly seed: number;
  /** Where files with findings are kept; default nowhere. */
  readonly keep?: string;
  readonly progress?: (done: number, found: readonly string[]) => void;
  /** Asked between two files: true ends the run early, with what was counted. */
  readonly stopped?: () => boolean;
}

/** Mutates and loads `files` files, one kind of sample after the other. */
export async function fuzzMetadata({
  files,
  seed,
  keep,
  progress,
  stopped,
}: FuzzOptions): Promise<FuzzResult> {
  const folder = mkdtempSync(join(tmpdir(), "framelab-fuzz-"));
  try {
    const samples = writeSamples(folder);
    const victims = samples.map(({ victim, chunks }) => new Victim(readFileSync(victim), chunks));
    for (const sample of samples) await requireExact(sample);
    const counts: Record<string, number> = {};
    const findings: string[] = [];
    const before = process.memoryUsage().rss;
    let slowestSeconds = 0;
    let growthBytes = 0;
    for (let i = 0; i < files && !stopped?.(); i++) {
      const kind = i % samples.length;
      const sample = samples[kind]!;
      const mutated = victims[kind]!.mutate(new Random(seed, i));
      writeFileSync(sample.victim, mutated);
      const outcome = await outcomeOf(sample, i % 2 === 0 ? "reference" : "auto");
      const { seconds, clockSeconds } = outcome;
      slowestSeconds = Math.max(slowestSeconds, seconds);
      growthBytes = Math.max(growthBytes, process.memoryUsage().rss - before);
      counts[outcome.name] = (counts[outcome.name] ?? 0) + 1;
      const found = [...outcome.findings];
      if (seconds > MAX_SECONDS || clockSeconds > MAX_CLOCK_SECONDS) {
        found.push(
          `took ${seconds.toFixed(1)} s, ${clockSeconds.toFixed(1)} s on the clock (${outcome.name})`,
        );
      }
      if (growthBytes > MAX_GROWTH_BYTES) found.push(`grew by ${growthBytes} bytes`);
      const named = found.map((finding) => `seed ${seed} file ${i}, ${sample.name}: ${finding}`);
      findings.push(...named);
      if (found.length > 0 && keep !== undefined) keepFile(keep, sample, i);
      writeFileSync(sample.victim, victims[kind]!.original);
      await requireExact(samples[(i * 7) % samples.length]!);
      progress?.(i + 1, named);
    }
    return { counts, findings, slowestSeconds, growthBytes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Outcome {
  readonly name: string;
  readonly findings: readonly string[];
  readonly seconds: number;
  readonly clockSeconds: number;
}

async function outcomeOf(sample: Sample, backend: "auto" | "reference"): Promise<Outcome> {
  const start = performance.now();
  const processor = process.cpuUsage();
  const loaded = await loadMarked(sample.path, backend).catch((error: unknown) => error);
  const { user, system } = process.cpuUsage(processor);
  const time = { seconds: (user + system) / 1e6, clockSeconds: (performance.now() - start) / 1000 };
  return { ...time, ...(loaded instanceof Error ? failureOf(loaded) : verdictOf(sample, loaded as Frames)) };
}

function loadMarked(path: string, backend: "auto" | "reference"): Promise<Frames> {
  return load(path, {
    progress: false,
    backend,
    scanShape: null,
    onDamage: "mask",
    onMissing: "fill",
    memoryLimit: MEMORY_LIMIT,
  });
}

type Verdict = Pick<Outcome, "name" | "findings">;

function failureOf(error: Error): Verdict {
  if (!(error instanceof FrameLabError)) return { name: "crash", findings: [`${error.stack}`] };
  return { name: error.name, findings: saysEnough(error) };
}

function verdictOf(sample: Sample, loaded: Frames): Verdict {
  const got = framesOf(loaded);
  const whole = got.length === sample.frames.length && got.every((frame) => frame !== null);
  if (sameWhereValid(got, sample.frames)) return { name: whole ? "exact" : "marked", findings: [] };
  if (sample.namesParts && isInOrder(got, sample.frames)) return { name: "fewer files", findings: [] };
  const judged = judgedFrames(sample.path);
  // A part that HDF5 cannot open has no frames there, and marked ones here.
  const inJudgedOrder = sample.namesParts && judged !== null && isInOrder(got, judged);
  if (judged !== null && (isWhatHdf5Reads(got, sample.frames, judged) || inJudgedOrder)) {
    return { name: "as HDF5 reads it", findings: [] };
  }
  const shape = `[${loaded.shape.join(", ")}] ${loaded.pixelType}`;
  const other = judged === null ? "HDF5 reads nothing" : `HDF5 reads ${judged.length} frames`;
  return { name: "wrong", findings: [`loaded ${shape}, which is not what was written; ${other}`] };
}

function saysEnough(error: FrameLabError): string[] {
  const bare = /^(Cannot|undefined|null|\s*$)|H5[A-Z]\w*\(|\n {4}at /.test(error.message);
  return bare ? [`says only: ${error.message}`] : [];
}

/** Frames as little-endian bytes; null = marked as not valid. */
function framesOf(loaded: Frames): (Uint8Array | null)[] {
  return Array.from(loaded.valid, (valid, i) => {
    if (valid === 0) return null;
    const { data } = loaded.frame(i);
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  });
}

/** Every valid frame is the expected one; frames beyond the expected ones must not be valid, none may be left out. */
function sameWhereValid(got: readonly (Uint8Array | null)[], expected: readonly JudgedFrame[]): boolean {
  if (got.length < expected.length) return false;
  return got.every((frame, i) => {
    const wanted = expected[i] ?? null;
    return frame === null || (wanted !== null && Buffer.compare(frame, wanted) === 0);
  });
}

/** A master that lost links or their lengths: the frames that are left are written ones, in their order. */
function isInOrder(got: readonly (Uint8Array | null)[], written: readonly JudgedFrame[]): boolean {
  let at = 0;
  return got.every((frame) => {
    if (frame === null) return true;
    const found = written.findIndex((wanted, i) => i >= at && wanted && Buffer.compare(frame, wanted) === 0);
    at = found + 1;
    return found >= 0;
  });
}

/** Every valid frame that is not the one written is what HDF5 reads of this file. */
function isWhatHdf5Reads(
  got: readonly (Uint8Array | null)[],
  written: readonly Uint8Array[],
  judged: readonly JudgedFrame[],
): boolean {
  if (got.length < Math.min(written.length, judged.length)) return false;
  return got.every((frame, i) => {
    return [null, written[i], judged[i]].some((wanted) => {
      return frame === null || (wanted && Buffer.compare(frame, wanted) === 0);
    });
  });
}

async function requireExact(sample: Sample): Promise<void> {
  const loaded = await load(sample.path, { progress: false, scanShape: null });
  const frames = framesOf(loaded);
  if (frames.includes(null) || !sameWhereValid(frames, sample.frames)) {
    throw new Error(`the intact ${sample.name} did not load exactly`);
  }
}

function keepFile(keep: string, sample: Sample, i: number): void {
  mkdirSync(keep, { recursive: true });
  copyFileSync(sample.victim, join(keep, `${i}-${sample.name.replaceAll(" ", "-")}.h5`));
}
