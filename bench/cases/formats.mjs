// Owns: the data sets beside the 15: other block sizes, elements of 8 bytes and real numbers, as some writers store them.
// Must not know: contenders, clocks, how chunks are encoded.
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../../scripts/run-step.mjs";
import { HEIGHT, SCAN_STEP, WIDTH } from "./frames.mjs";

const require = createRequire(import.meta.url);
const fixture = (name) => require(join(root, "build", "test", "fixtures", `${name}.js`));

/** Elements of a block that no vector step divides. */
const ODD = 8 * 37;
/** Counts in blocks of so many elements: powers of two, and the odd one. 0 = the default. */
const BLOCKS = [
  { dtype: "u8", elements: [ODD] },
  { dtype: "u16", elements: [ODD, 512, 2048, 8192] },
  { dtype: "u32", elements: [ODD] },
  { dtype: "u64", elements: [ODD, 0, 2048] },
];
/** Readout noise of a real number beside its count, in counts. */
const NOISE = 0.05;

function set(kind, dtype, blockElements, elements) {
  const elementBytes = Number(dtype.slice(1)) / 8;
  const blockBytes = blockElements === 0 ? 8192 : blockElements * elementBytes;
  return {
    ...{
      name: `${kind}${kind === "block" ? blockBytes : ""}-${dtype}`,
      group: "formats",
      dtype,
      elementBytes,
    },
    ...{ frameBytes: HEIGHT * WIDTH * elementBytes, blockElements, blockBytes, elements },
  };
}

/** Frame `i` of counts as elements of a dtype. */
function counts(dtype, i) {
  const { patternCounts, STANDARD_PATTERN, frameElements } = fixture("counts");
  const setup = { ...STANDARD_PATTERN, height: HEIGHT, width: WIDTH };
  if (dtype !== "u64") return frameElements("counts", dtype, setup, i);
  return bytesOf(BigUint64Array.from(patternCounts(setup, i), BigInt));
}

/** Frame `i` of counts with readout noise, as floating-point numbers: most of their bits are noise. */
function reals(dtype, i) {
  const { patternCounts, STANDARD_PATTERN } = fixture("counts");
  const { Random } = fixture("random");
  const setup = { ...STANDARD_PATTERN, height: HEIGHT, width: WIDTH };
  const random = new Random(setup.seed, i);
  // Twelve uniform numbers less six are near enough to a normal one of variance 1.
  const normal = () => Array.from({ length: 12 }, () => random.unit()).reduce((sum, x) => sum + x, -6);
  const values = Float64Array.from(patternCounts(setup, i), (count) => count + NOISE * normal());
  return bytesOf(dtype === "f32" ? Float32Array.from(values) : values);
}

/** As little-endian machines hold them: the bench runs on no other. */
function bytesOf(array) {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** `{ name: "block592-u16", group: "formats", dtype, elementBytes, frameBytes, blockElements, blockBytes, elements }`. */
export const FORMAT_SETS = [
  ...BLOCKS.flatMap(({ dtype, elements }) =>
    elements.map((count) => set("block", dtype, count, (i) => counts(dtype, i * SCAN_STEP))),
  ),
  ...["f32", "f64"].map((dtype) => set("real", dtype, 0, (i) => reals(dtype, i * SCAN_STEP))),
];
