// Owns: the small intact files that the metadata fuzz mutates: every chunk index, masters, virtual masters, thresholds.
// Must not know: how they are mutated or judged.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { BITSHUFFLE_FILTER, bitshuffleValues, encodeChunk } from "../fixtures/bitshuffle-encoder";
import {
  type ChunkIndexName,
  type ChunkPlace,
  chunked,
  dataset,
  externalLink,
  type FileOptions,
  type GroupNode,
  group,
  type Node,
  numbers,
  scalar,
  softLink,
  text,
  virtualDataset,
  writeHdf5,
} from "../fixtures/hdf5-writer";
import { Random } from "../fixtures/random";

/** Files of one acquisition, and the one of them that is mutated. */
export interface Sample {
  readonly name: string;
  /** What `load` opens. */
  readonly path: string;
  readonly victim: string;
  /** Chunks of the victim: their bytes stay as they are. */
  readonly chunks: readonly ChunkPlace[];
  readonly frames: readonly Uint8Array[];
  /** The victim holds no frames and names the files that do: with its links it loses frames. */
  readonly namesParts?: boolean;
}

const HEIGHT = 4;
const WIDTH = 6;
const ELEMENT_BYTES = 2;
/** Frames of a file: more than one node of a v1 B-tree holds, and more than an extensible array's index block. */
const FRAMES = 70;

const random = new Random(41);
const frame = (): Uint8Array => {
  const bytes = new Uint8Array(HEIGHT * WIDTH * ELEMENT_BYTES);
  for (let i = 0; i < bytes.length; i += ELEMENT_BYTES) bytes[i] = random.below(60);
  return bytes;
};

interface StackSpec {
  readonly index: ChunkIndexName;
  readonly filtered: boolean;
  readonly leading?: readonly number[];
}

/** A stack of `frames` as a dataset; one chunk a frame, or one for all with a single chunk. */
function stack(frames: readonly Uint8Array[], { index, filtered, leading = [frames.length] }: StackSpec) {
  const single = index === "single-chunk";
  const grows = index === "extensible-array" || index === "btree-v2";
  const unlimited = [null, ...leading.slice(1), HEIGHT, index === "btree-v2" ? null : WIDTH];
  const bytesOf = (i: number): Uint8Array => (single ? Buffer.concat(frames) : frames[i]!);
  return chunked({
    dtype: "u16",
    shape: [...leading, HEIGHT, WIDTH],
    maxShape: grows ? unlimited : [...leading, HEIGHT, WIDTH],
    chunkShape: [...(single ? leading : leading.map(() => 1)), HEIGHT, WIDTH],
    index,
    pageBits: 4,
    filters: filtered ? [{ id: BITSHUFFLE_FILTER, values: bitshuffleValues(ELEMENT_BYTES) }] : [],
    chunks: (i) => (filtered ? encodeChunk(bytesOf(i), ELEMENT_BYTES) : bytesOf(i)),
  });
}

const DETECTOR: Readonly<Record<string, Node>> = {
  instrument: group({
    detector: group({
      description: dataset(text("fuzzed")),
      count_time: dataset(scalar("f64", 0.001)),
      detectorSpecific: group({
        nimages: dataset(scalar("u32", FRAMES)),
        ntrigger: dataset(scalar("u32", 1)),
        pixel_mask: dataset(numbers("u32", [HEIGHT, WIDTH], new Array(HEIGHT * WIDTH).fill(0))),
      }),
    }),
  }),
};

const root = (data: Readonly<Record<string, Node>>, more: Readonly<Record<string, Node>> = {}): GroupNode =>
  group({ entry: group({ data: group(data), ...more }) });

function single(folder: string, spec: StackSpec, file: FileOptions): Sample {
  const frames = Array.from({ length: FRAMES }, frame);
  const name = `${spec.index}${spec.filtered ? " filtered" : ""} superblock ${file.superblock ?? 0}`;
  const path = join(folder, `${name.replaceAll(" ", "-")}.h5`);
  const node = stack(frames, spec);
  const written = writeHdf5(path, root({ data: node }, DETECTOR), file);
  const chunks = written.chunkPlaces(node).filter((place) => place !== null);
  return { name, path, victim: path, chunks, frames };
}

/** A master over three data files, once with the master as victim and once with the second data file. */
function master(folder: string, superblock: 0 | 2): Sample[] {
  const at = join(folder, `master-${superblock}`);
  mkdirSync(at);
  const frames = Array.from({ length: FRAMES }, frame);
  const links: Record<string, Node> = {};
  let chunks: ChunkPlace[] = [];
  for (const [i, part] of [frames.slice(0, 30), frames.slice(30, 60), frames.slice(60)].entries()) {
    const name = `x_data_00000${i + 1}.h5`;
    const node = stack(part, { index: "btree-v1", filtered: true });
    const written = writeHdf5(join(at, name), root({ data: node }), { superblock });
    if (i === 1) chunks = written.chunkPlaces(node).filter((place) => place !== null);
    links[`data_00000${i + 1}`] = i === 2 ? softLink("/entry/third") : externalLink(name, "/entry/data/data");
  }
  const third = externalLink("x_data_000003.h5", "/entry/data/data");
  const path = join(at, "x_master.h5");
  writeHdf5(path, root(links, { ...DETECTOR, third }), { superblock });
  return [
    {
      name: `master superblock ${superblock}`,
      path,
      victim: path,
      chunks: [],
      frames,
      namesParts: true,
    },
    {
      name: `data file superblock ${superblock}`,
      path,
      victim: join(at, "x_data_000002.h5"),
      chunks,
      frames,
    },
  ];
}

/** A virtual master of [images, thresholds, rows, cols] over two files, the first threshold loaded. */
function virtual(folder: string): Sample {
  const at = join(folder, "virtual");
  mkdirSync(at);
  const images = 12;
  const frames = Array.from({ length: images * 2 }, frame);
  const whole = [
    { start: 0, block: 2 },
    { start: 0, block: HEIGHT },
    { start: 0, block: WIDTH },
  ];
  const mappings = [0, 1].map((file) => {
    const part = frames.slice(file * images, (file + 1) * images);
    const node = stack(part, { index: "btree-v1", filtered: true, leading: [images / 2, 2] });
    writeHdf5(join(at, `x_data_${file}.h5`), root({ data: node }));
    const to = [{ start: (file * images) / 2, block: images / 2 }, ...whole];
    return { file: `x_data_${file}.h5`, dataset: "/entry/data/data", from: "all" as const, to };
  });
  const path = join(at, "x_master.h5");
  const node = virtualDataset({ dtype: "u16", shape: [images, 2, HEIGHT, WIDTH], mappings });
  writeHdf5(path, root({ data: node }), { superblock: 2 });
  const first = frames.filter((_, i) => i % 2 === 0);
  return { name: "virtual master", path, victim: path, chunks: [], frames: first };
}

/** Writes every kind of sample into `folder`. */
export function writeSamples(folder: string): Sample[] {
  const indexes: [ChunkIndexName, boolean][] = [
    ["btree-v1", true],
    ["btree-v1", false],
    ["single-chunk", true],
    ["implicit", false],
    ["fixed-array", true],
    ["fixed-array", false],
    ["extensible-array", true],
    ["extensible-array", false],
    ["btree-v2", true],
    ["btree-v2", false],
  ];
  const singles = indexes.flatMap(([index, filtered], i) => {
    const old = index === "btree-v1" ? [{ superblock: 0 } as const] : [];
    const files: FileOptions[] = [...old, { superblock: i % 2 === 0 ? 2 : 3, continuedHeaders: i % 3 === 0 }];
    return files.map((file) => single(folder, { index, filtered }, file));
  });
  const block = single(
    join(folder),
    { index: "fixed-array", filtered: true },
    { superblock: 0, userBlock: 512 },
  );
  return [...singles, block, ...master(folder, 0), ...master(folder, 2), virtual(folder)];
}
