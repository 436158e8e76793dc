// Owns: a program for the peers: loads acquisitions on every backend and writes the SHA-256 of each frame.
// Must not know: how the files were made, what they should hold.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { type BackendName, FrameLabError, type LoadOptions, load } from "framelab";
import { BACKENDS } from "#framelab/backends/registry";

interface LoadCase {
  readonly path: string;
  readonly options: LoadOptions;
}

interface Loaded {
  readonly backend: BackendName;
  readonly shape?: readonly number[];
  readonly sha256?: readonly string[];
  readonly valid?: readonly number[];
  readonly damaged?: readonly number[];
  readonly error?: string;
}

async function loadCase({ path, options }: LoadCase, backend: BackendName): Promise<Loaded> {
  try {
    const frames = await load(path, { progress: false, ...options, backend });
    const sha256 = Array.from(frames.valid, (_, i) => {
      const { data } = frames.frame(i);
      return createHash("sha256").update(data).digest("hex");
    });
    const damaged = [...new Set(frames.report.damaged.map(({ frame }) => frame))];
    return { backend, shape: frames.shape, sha256, valid: [...frames.valid], damaged };
  } catch (error) {
    if (error instanceof FrameLabError) return { backend, error: error.name };
    throw error;
  }
}

/** Input: JSON list of { path, options }. Output: JSON list, for each case a list with one result a backend. */
async function main(input: string, output: string): Promise<void> {
  const cases = JSON.parse(readFileSync(input, "utf8")) as LoadCase[];
  const here = BACKENDS.filter(({ open }) => "backend" in open()).map(({ name }) => name);
  const results: Loaded[][] = [];
  for (const each of cases) {
    const loaded: Loaded[] = [];
    for (const backend of here) loaded.push(await loadCase(each, backend));
    results.push(loaded);
  }
  writeFileSync(output, JSON.stringify(results));
}

main(process.argv[2], process.argv[3]);
