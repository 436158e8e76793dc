// Owns: the real detector files of FRAMELAB_REAL_FILES against their PROVENANCE.md: shape, dtype, range, sum, digest.
// Must not know: anything that PROVENANCE.md does not say.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { type Frames, load } from "framelab";

interface Expected {
  readonly file: string;
  readonly dataset: string;
  readonly shape: readonly number[];
  readonly pixelType: string;
  readonly range: string;
  readonly sum: number;
  readonly sha: string;
}

const root = process.env.FRAMELAB_REAL_FILES;

/** Rows of PROVENANCE.md that are stacks of frames. A row without a file name belongs to the file above it. */
function expectedRows(folder: string): Expected[] {
  const rows: Expected[] = [];
  let section = "";
  let file = "";
  for (const line of readFileSync(join(folder, "PROVENANCE.md"), "utf8").split("\n")) {
    section = /^## (\S+?)\//.exec(line)?.[1] ?? section;
    const cells = line.split("|").map((cell) => cell.trim());
    if (cells.length < 11 || cells[1] === "file" || cells[1].startsWith("---")) continue;
    file = cells[1] || file;
    const shape = /^\((\d+), (\d+), (\d+)\) [<|]([uif])(\d)$/.exec(cells[5]);
    if (!shape) continue;
    rows.push({
      file: join(folder, section, file),
      dataset: cells[4],
      shape: shape.slice(1, 4).map(Number),
      pixelType: `${shape[4]}${Number(shape[5]) * 8}`,
      range: cells[8],
      sum: Number(cells[9]),
      sha: cells[10],
    });
  }
  return rows;
}

function facts(frames: Frames) {
  const data = frames.data;
  let [min, max, sum] = [data[0], data[0], 0];
  for (let i = 0; i < data.length; i++) {
    sum += data[i];
    if (data[i] < min) min = data[i];
    if (data[i] > max) max = data[i];
  }
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const sha = createHash("sha1").update(bytes).digest("hex").slice(0, 12);
  return { shape: frames.shape, pixelType: frames.pixelType, range: `${min}..${max}`, sum, sha };
}

if (root === undefined) {
  test("real detector files", { skip: "FRAMELAB_REAL_FILES names no folder of them" }, () => {});
} else {
  const rows = expectedRows(root);
  test("PROVENANCE.md lists stacks of frames", () => assert.ok(rows.length > 30, `${rows.length} rows`));
  for (const { file, dataset, ...expected } of rows) {
    test(`${basename(file)} ${dataset} is exact`, async () => {
      const frames = await load(file, { dataset, progress: false, scanShape: null });
      assert.deepEqual(facts(frames), expected);
    });
  }
}
