// Owns: what the HDF5 library itself reads of an acquisition, in a process of its own that may hang or trap.
// Must not know: any code under test.
import { spawnSync } from "node:child_process";
import { dirname, resolve } from "node:path";
import { withH5wasm } from "../fixtures/h5wasm-judge";

/** A library that has not answered by then is no judge. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 2 ** 20;

/** One frame as stored, little-endian or not; null where HDF5 cannot read it. */
export type JudgedFrame = Uint8Array | null;

interface Stack {
  readonly shape: number[];
  slice(ranges: [number, number][]): ArrayBufferView;
}

/** Frames as HDF5 reads them one by one, or null where it does not open the acquisition. */
export function judgedFrames(path: string): JudgedFrame[] | null {
  const child = spawnSync(process.execPath, [__filename, path], {
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_BYTES,
  });
  if (child.status !== 0) return null;
  const frames = JSON.parse(child.stdout.toString("latin1")) as (string | null)[];
  return frames.map((frame) => (frame === null ? null : Buffer.from(frame, "base64")));
}

type Place = { readonly file: string; readonly dataset: string };

/** The calls of h5wasm's module that see one link at a time: its groups stop at any name that is no UTF-8. */
interface Links {
  get_names(file: bigint, group: string, recursive: boolean): string[];
  get_symbolic_link(file: bigint, path: string): string | null;
  get_external_link(file: bigint, path: string): { filename?: string; obj_path?: string };
  activate_throwing_error_handler(): void;
}

/** Frames of the members data_NNNNNN of /entry/data in the order of their numbers, else of /entry/data/data. */
async function framesOf(path: string, links: Links): Promise<JudgedFrame[]> {
  const places = await withH5wasm(path, ({ file_id }): Place[] => {
    const members = links.get_names(file_id, "/entry/data", false).filter((name) => /^data_\d+$/.test(name));
    members.sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)));
    return (members.length === 0 ? ["data"] : members).map((name): Place => {
      const soft = links.get_symbolic_link(file_id, `/entry/data/${name}`);
      const dataset = soft ?? `/entry/data/${name}`;
      const { filename, obj_path = "/" } = links.get_external_link(file_id, dataset);
      return filename
        ? { file: resolve(dirname(path), filename), dataset: obj_path }
        : { file: path, dataset };
    });
  });
  const frames: JudgedFrame[] = [];
  // A part that HDF5 does not open holds nothing that it could have read.
  for (const place of places) frames.push(...(await stackOf(place).catch(() => [])));
  return frames;
}

/** Of [images, thresholds, rows, cols] the first threshold. Each frame by a read of its own: one that fails zeros the rest. */
function stackOf({ file, dataset }: Place): Promise<JudgedFrame[]> {
  return withH5wasm(file, (opened) => {
    const stack = opened.get(dataset) as Stack;
    const [images, ...rest] = stack.shape;
    const inside = (rest.length === 3 ? [1, ...rest.slice(1)] : rest).map((extent): [number, number] => [
      0,
      extent,
    ]);
    return Array.from({ length: images! }, (_, i) => {
      try {
        const { buffer, byteOffset, byteLength } = stack.slice([[i, i + 1], ...inside]);
        return new Uint8Array(buffer, byteOffset, byteLength).slice();
      } catch {
        return null;
      }
    });
  });
}

async function main(path: string): Promise<void> {
  const h5wasm = await import("h5wasm/node");
  const links = (await h5wasm.ready) as unknown as Links;
  links.activate_throwing_error_handler();
  const frames = await framesOf(path, links);
  process.stdout.write(JSON.stringify(frames.map((frame) => frame && Buffer.from(frame).toString("base64"))));
}

if (require.main === module)
  main(process.argv[2]!).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
