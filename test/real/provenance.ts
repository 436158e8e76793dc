// Owns: what PROVENANCE.md of the real detector files says of each stack of frames, and the same facts of loaded frames.
// Must not know: how files are loaded.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Frames } from "framelab";

/** One stack of frames of a real file, as PROVENANCE.md has it. */
export interface Expected {
  readonly file: string;
  readonly dataset: string;
  readonly shape: readonly number[];
  readonly pixelType: string;
  readonly range: string;
  readonly sum: number;
  readonly sha: string;
}

/** Rows of PROVENANCE.md that are stacks of frames. A row without a file name belongs to the file above it. */
export function expectedRows(folder: string): Expected[] {
  const rows: Expected[] = [];
  let section = "";
  let file = "";
  for (const line of readFileSync(join(folder, "PROVENANCE.md"), "utf8").split("\n")) {
    section = /^## (\S+?)\//.exec(line)?.[1] ?? section;
    // NumPy writes the byte order of a one-byte type as "|", which is no border of a cell.
    const cells = line
      .replace(/ \|([ui]1) /, " <$1 ")
      .split("|")
      .map((cell) => cell.trim());
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

/** The facts of loaded frames that PROVENANCE.md lists. */
export function facts(frames: Frames): Omit<Expected, "file" | "dataset"> {
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
