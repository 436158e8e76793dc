// Owns: a program for the peers: explores a scan that is larger than the process's memory limit: streamed, reduced, encoded.
// Must not know: how the scan was made, what its values should be, what the limit is.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import {
  centerOfMass,
  disk,
  forEachBatch,
  load,
  maxPattern,
  meanPattern,
  type Reduced,
  reduce,
  sumPattern,
  verify,
  virtualImage,
} from "framelab";

interface Given {
  readonly path: string;
  readonly disk: { readonly center: [number, number]; readonly radius: number };
}

const OPTIONS = { progress: false, onDamage: "mask" } as const;

const digest = (data: NodeJS.ArrayBufferView) => createHash("sha256").update(data).digest("hex");

const packed = (results: Readonly<Record<string, Reduced>>) =>
  Object.entries(results).map(([name, { shape, data }]) => {
    const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
    return [name, { shape, base64 }] as const;
  });

/** What became of a load of everything: the name of its error. */
async function wholeLoad(path: string): Promise<string> {
  try {
    await load(path, OPTIONS);
    return "loaded";
  } catch (error) {
    return (error as Error).name;
  }
}

async function main(input: string, output: string): Promise<void> {
  const given = JSON.parse(readFileSync(input, "utf8")) as Given;
  const { path } = given;
  const whole = await wholeLoad(path);
  const verified = await verify(path, { progress: false });
  const streamed: (string | null)[] = [];
  await forEachBatch(
    path,
    ({ first, frames, valid }) => {
      for (let i = 0; i < valid.length; i++) {
        const { data } = frames.pick(i, null, null);
        const size = data.length / valid.length;
        streamed[first + i] = valid[i] === 1 ? digest(data.subarray(i * size, (i + 1) * size)) : null;
      }
    },
    OPTIONS,
  );
  const described = {
    disk: virtualImage(disk(given.disk)),
    com: centerOfMass(disk(given.disk)),
    sum: sumPattern(),
    mean: meanPattern(),
    max: maxPattern(),
  };
  // Without a maximum no frame is held whole anywhere; with one, each thread holds one.
  const { max: _, ...sums } = described;
  const reduced = Object.fromEntries(packed(await reduce(path, described, { progress: false })));
  const summed = Object.fromEntries(packed(await reduce(path, sums, { progress: false })));
  const encoded = await load(path, { ...OPTIONS, representation: "encoded" });
  const read: (string | null)[] = [];
  for (let row = 0; row < encoded.shape[0]!; row++) {
    const part = await encoded.scan({ rows: [row, row + 1] });
    for (const good of part.valid) {
      const frame = part.frame(read.length % encoded.shape[1]!);
      read.push(good === 1 ? digest(frame.data) : null);
    }
    part.release();
  }
  const held = Object.fromEntries(packed(await reduce(encoded, described, { progress: false })));
  const damaged = [...new Set(verified.damaged.map(({ frame }) => frame))];
  const facts = { whole, damaged, shape: encoded.shape, stored: encoded.storedBytes };
  const peakKilobytes = process.resourceUsage().maxRSS;
  writeFileSync(output, JSON.stringify({ ...facts, streamed, read, reduced, summed, held, peakKilobytes }));
}

main(process.argv[2]!, process.argv[3]!);
