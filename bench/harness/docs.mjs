// Owns: docs/benchmarks.md, made from the results that bench/results holds.
// Must not know: how anything was measured beyond what the results say.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/run-step.mjs";
import { decodePicture } from "./picture.mjs";
import { RESULTS, resultsName } from "./results.mjs";
import { resultFacts, resultTables } from "./tables.mjs";

const PAGE = join(root, "docs", "benchmarks.md");
const PICTURES = join(root, "docs", "benchmarks");

const INTRODUCTION = `# Benchmarks

Made by \`npm run bench -- --record\` from \`bench/results\`; not edited by hand.

How it is measured: every decoder runs in one process on the same chunks, in turn, in an order drawn anew each round.
Before it is timed, each decoder's output is compared with the raw frames. A pass decodes 75 MB to memory that was
written before; it is timed in 64 parts on one core and in 4 on several, and the best (median) of a pass is the sum of
each part's minimum (median). Whole loads are of files that the system has in its cache, in turn, one process for each
contender; the sum of all pixels of every load is checked. Before each, another process writes as much memory and gives
it back: a virtual machine may have lent free memory to its host, and getting it again is not the loader's work. Only ratios within one run mean anything: the same machine may
run twice as fast an hour later.

\`kiyo-bitshuffle\` is the bitshuffle library of the HDF5 filter and \`dectris-compression\` DECTRIS's compression library,
both compiled from their PyPI source archives with -O3: for this processor (-march=native), then for AVX2 and for SSE2
alone, so that each of FrameLab's instruction sets meets libraries that may use as much. \`lz4\` decodes the blocks and
does nothing else; \`memset\` and \`stores\` (64 bytes at a time) are the limit of the machine. FrameLab's decoder is
linked from the addon's own libraries and makes all its checks; \`framelab-unchecked\` is the same code with the checks of
its LZ4 block loop taken out of the text, compiled for the bench alone and only ever given chunks that were verified.

Streams, reductions and reads of encoded frames are timed like loads, on the same file; \`h5py+NumPy\` does the same with
batches of 512 frames, and from a file image in memory for encoded reads. All GB/s there are of decoded bytes; \`plain
read\` reads the stored bytes and decodes nothing.

Chunks are encoded by the bitshuffle library. \`counts\` is defined by its blocks: 205 / 112 / 56 LZ4 sequences and 1,189 /
694 / 377 stream bytes in u8 / u16 / u32; a run refuses data that differs by more than 5 %. \`gaps\` is counts whose module
gaps hold the largest value.
\`block592-u16\` and its like are \`counts\` in blocks of so many bytes, where a writer chose another size than 8192;
\`real-f32\` and \`real-f64\` are counts with readout noise as floating-point numbers. They stand in no mean.
\`fresh\` output is new memory in each load, \`reused\` the same memory again (FrameLab's opt-in pool of released outputs).
\`h5py+imagecodecs\` reads chunks with h5py and decodes them with imagecodecs in as many threads as there are cores.
h5py, hdf5plugin and imagecodecs are the wheels that pip installs.
`;

/** Writes the page, the newest run first. Gives its path. */
export function writeDocs() {
  const files = existsSync(RESULTS) ? readdirSync(RESULTS) : [];
  const recorded = files
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(join(RESULTS, file), "utf8")))
    .filter((results) => results.rows?.some((row) => /^(decode|plan)\//.test(row.case ?? "")));
  if (recorded.length === 0) throw new Error(`${RESULTS} holds no results of npm run bench`);
  recorded.sort((a, b) => (a.date < b.date ? 1 : -1));
  const sections = recorded.map((results) => {
    const title = `## ${results.machine.cpu}, ${results.date.slice(0, 10)}`;
    return [title, resultFacts(results), ...writePicture(results), `${resultTables(results)}\n`].join("\n\n");
  });
  mkdirSync(join(root, "docs"), { recursive: true });
  writeFileSync(PAGE, `${INTRODUCTION}\n${sections.join("\n")}`);
  return PAGE;
}

/** The picture beside the page, and the line that shows it. */
function writePicture(results) {
  const svg = decodePicture(results);
  if (svg === null) return [];
  const file = resultsName(results).replace(/\.json$/, "-decode.svg");
  mkdirSync(PICTURES, { recursive: true });
  writeFileSync(join(PICTURES, file), svg);
  return [`![Decoding speed in each data set](benchmarks/${file})`];
}
