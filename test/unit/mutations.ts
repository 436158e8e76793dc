// Owns: damaged LZ4 block streams for tests, seeded, of every kind that a bound exists for.
// Must not know: any decoder.
import { toBitPlanes } from "../fixtures/bitshuffle-encoder";
import { encodeLz4Block, encodeSequences, lengthExtension } from "../fixtures/lz4-encoder";

/** Bit planes of one block as an acquisition of this layout has them. */
export interface BlockLayout {
  readonly name: string;
  readonly elementBytes: number;
  readonly elements: number;
}

export const BLOCK_LAYOUTS: readonly BlockLayout[] = [
  { name: "u8", elementBytes: 1, elements: 8192 },
  { name: "u16", elementBytes: 2, elements: 4096 },
  { name: "u16 short", elementBytes: 2, elements: 1128 },
  { name: "u32", elementBytes: 4, elements: 2048 },
];

type Random = () => number;

/** Streams of intact blocks, from empty to incompressible. */
export function intactStreams({ elementBytes, elements }: BlockLayout, random: Random): Uint8Array[] {
  const densities = [0, 0.002, 0.05, 0.3, 1, 20, 1000];
  return densities.map((mean) => {
    const bytes = new Uint8Array(elements * elementBytes);
    for (let i = 0; i < elements; i++) {
      const value = mean >= 1000 ? random() * 2 ** 32 : -Math.log(1 - random()) * mean;
      const count = Math.min(Math.floor(value), 2 ** (8 * elementBytes) - 1);
      for (let b = 0; b < elementBytes; b++) bytes[i * elementBytes + b] = Math.floor(count / 2 ** (8 * b));
    }
    return encodeLz4Block(toBitPlanes(bytes, elementBytes));
  });
}

const pick = (random: Random, n: number): number => Math.floor(random() * n);

/** Kinds of damage; each takes a copy of an intact stream and the bytes that its block has. */
const MUTATIONS: readonly ((stream: Uint8Array, size: number, random: Random) => Uint8Array)[] = [
  function flipBits(stream, _, random) {
    for (let n = 1 + pick(random, 4); n > 0; n--)
      stream[pick(random, stream.length)]! ^= 1 << pick(random, 8);
    return stream;
  },
  function fillRange(stream, _, random) {
    const from = pick(random, stream.length);
    const to = Math.min(stream.length, from + 1 + pick(random, 40));
    const kind = pick(random, 3);
    for (let i = from; i < to; i++) stream[i] = kind === 0 ? 0 : kind === 1 ? 255 : pick(random, 256);
    return stream;
  },
  (stream, _, random) => stream.fill(255, pick(random, stream.length)),
  (stream, _, random) => stream.subarray(0, pick(random, stream.length + 1)),
  function lastBytes(stream, _, random) {
    for (let i = Math.max(0, stream.length - 6); i < stream.length; i++) {
      if (random() < 0.5) stream[i] = pick(random, 256);
    }
    return stream;
  },
  function craftToken(stream, _, random) {
    stream[pick(random, Math.min(stream.length, 64))] = [0xf0, 0x0f, 0xff, 0x00, 0x10][pick(random, 5)]!;
    return stream;
  },
  /** One literal and one match that fills the block, or misses it by a few bytes; ends right behind the match. */
  (_, size, random) =>
    encodeSequences([
      { literals: [pick(random, 256)], offset: pick(random, 3), matchLength: size - 1 + pick(random, 5) - 2 },
    ]),
  function tooMuch(stream, size, random) {
    const more = encodeSequences([
      { literals: new Uint8Array(pick(random, 30)), offset: 1 + pick(random, 4), matchLength: size },
    ]);
    return Uint8Array.from([...stream, ...more]);
  },
  function lengthsThatWouldWrap(_, __, random) {
    const run = new Array<number>(pick(random, 2000)).fill(255);
    const ends = random() < 0.5 ? [pick(random, 255)] : [];
    return random() < 0.5
      ? Uint8Array.from([0xf0, ...run, ...ends, ...new Array<number>(pick(random, 40)).fill(7)])
      : Uint8Array.from([0x1f, 7, 1, 0, ...run, ...ends]);
  },
  (_, __, random) => Uint8Array.from({ length: pick(random, 64) }, () => pick(random, 256)),
  /** Literals alone that fill the block, or miss it by a few bytes. */
  function literalsAlone(_, size, random) {
    const count = Math.max(15, size + pick(random, 5) - 2);
    return Uint8Array.from([
      0xf0,
      ...lengthExtension(count),
      ...new Array<number>(count).fill(pick(random, 256)),
    ]);
  },
  /** Short sequences where the block ends, with more of the stream behind them. */
  function shortSequencesAtEnd(_, size, random) {
    const sequence = () => ({
      literals: new Uint8Array(pick(random, 15)),
      offset: 1 + pick(random, 40),
      matchLength: 4 + pick(random, 15),
    });
    return encodeSequences([
      { literals: new Uint8Array(size - pick(random, 70)), offset: 1 },
      ...Array.from({ length: 1 + pick(random, 4) }, sequence),
      { literals: new Uint8Array(pick(random, 40)) },
    ]);
  },
];

/** `count` damaged (or, now and then, still intact) streams of blocks of this layout. */
export function* mutatedStreams(layout: BlockLayout, count: number, random: Random): Generator<Uint8Array> {
  const size = layout.elements * layout.elementBytes;
  const intact = intactStreams(layout, random);
  for (let i = 0; i < count; i++) {
    const stream = Uint8Array.from(intact[i % intact.length]!);
    yield MUTATIONS[pick(random, MUTATIONS.length)]!(stream, size, random);
  }
}
