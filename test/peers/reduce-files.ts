// Owns: a program for the peers: reduces acquisitions on every backend, from the path, from loaded and from encoded frames.
// Must not know: how the files were made, what the results should be.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import {
  annulus,
  type BackendName,
  centerOfMass,
  disk,
  fromImage,
  type Loaded,
  load,
  maxPattern,
  meanPattern,
  type Reduced,
  type ReduceOptions,
  reduce,
  sumPattern,
  virtualImage,
} from "framelab";
import { BACKENDS } from "#framelab/backends/registry";

interface ReduceCase {
  readonly path: string;
  readonly options: ReduceOptions;
  readonly disk: { readonly center: [number, number]; readonly radius: number };
  readonly annulus: { readonly center: [number, number]; readonly inner: number; readonly outer: number };
  readonly image: readonly (readonly number[])[];
}

interface Result {
  readonly backend: BackendName;
  readonly source: "path" | "counts" | "encoded";
  readonly damaged: readonly number[];
  readonly missing: readonly number[];
  /** Of encoded frames: SHA-256 of each. */
  readonly sha256: readonly string[];
  readonly arrays: Readonly<Record<string, { readonly shape: readonly number[]; readonly base64: string }>>;
}

async function reduceCase(given: ReduceCase, backend: BackendName): Promise<Result[]> {
  const options = { progress: false, ...given.options, backend } as const;
  const lenient = { onDamage: "mask", onMissing: "fill", ...options } as const;
  const counts = await load(given.path, lenient);
  const encoded = await load(given.path, { ...lenient, representation: "encoded" });
  const sha256: string[] = [];
  for (let i = 0; i < encoded.valid.length; i++) {
    const { data } = await encoded.frame(i);
    sha256.push(createHash("sha256").update(data).digest("hex"));
  }
  const described = {
    disk: virtualImage(disk(given.disk)),
    annulus: virtualImage(annulus(given.annulus)),
    image: virtualImage(fromImage(given.image)),
    sum: sumPattern(),
    mean: meanPattern(),
    max: maxPattern(),
    com: centerOfMass(),
    comDisk: centerOfMass(disk(given.disk)),
  };
  const loaded = (source: Loaded) =>
    // One call for both kinds: their overload is the same.
    reduce(source as typeof counts, described, { progress: false });
  return [
    packed(await reduce(given.path, described, options), backend, "path", []),
    packed(await loaded(counts), backend, "counts", []),
    packed(await loaded(encoded), backend, "encoded", sha256),
  ];
}

function packed(
  results: Readonly<Record<string, Reduced>>,
  backend: BackendName,
  source: Result["source"],
  sha256: readonly string[],
): Result {
  const { report } = Object.values(results)[0]!;
  const arrays = Object.entries(results).map(([name, { shape, data }]) => {
    const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
    return [name, { shape, base64 }] as const;
  });
  return {
    backend,
    source,
    damaged: [...new Set(report.damaged.map(({ frame }) => frame))],
    missing: report.missing.map(({ frame }) => frame),
    sha256,
    arrays: Object.fromEntries(arrays),
  };
}

/** Input: JSON list of cases. Output: JSON list, for each case a list of results. */
async function main(input: string, output: string): Promise<void> {
  const cases = JSON.parse(readFileSync(input, "utf8")) as ReduceCase[];
  const results: Result[][] = [];
  for (const each of cases) {
    const own: Result[] = [];
    for (const { name, open } of BACKENDS) {
      if ("backend" in open()) own.push(...(await reduceCase(each, name)));
    }
    results.push(own);
  }
  writeFileSync(output, JSON.stringify(results));
}

main(process.argv[2], process.argv[3]);
