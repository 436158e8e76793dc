// Owns: an inspection as one screen of text.
// Must not know: how an inspection is made.
import { basename } from "node:path";
import type { Inspection } from "../inspection";
import { bytesText, countText, plural } from "./units";

/** Notes and missing files that are printed. */
const LISTED = 5;

/** Gives an inspection its printed form; the data stay as they are. */
export function readable(inspection: Inspection): Inspection {
  const print = { value: () => inspectionText(inspection) };
  return Object.freeze(
    Object.create(Object.prototype, {
      ...Object.getOwnPropertyDescriptors(inspection),
      [Symbol.for("nodejs.util.inspect.custom")]: print,
    }) as Inspection,
  );
}

/** The text of an inspection: one line a fact, those that are unknown left out. */
export function inspectionText(inspection: Inspection): string {
  const { path, ready, why, todo, notes } = inspection;
  const lines: [label: string, text: string | null][] = [
    ["frames", framesText(inspection)],
    ["detector", detectorText(inspection)],
    ["data", dataText(inspection)],
    ["files", filesText(inspection)],
    ["size", sizeText(inspection)],
    ["values", valuesText(inspection)],
    ...notes.slice(0, LISTED).map(({ text }): [string, string] => ["note", text]),
  ];
  const shown = lines.filter(([, text]) => text !== null);
  const verdict = ready ? "ready" : `not ready. ${why}${todo === null ? "" : `\n  ${todo}`}`;
  return [
    `${basename(path)}: ${verdict}`,
    ...shown.map(([label, text]) => `  ${label.padEnd(9)} ${text}`),
  ].join("\n");
}

function framesText({ frames, scan, thresholds }: Inspection): string | null {
  if (frames === null) return null;
  const { planned, found, complete } = frames;
  const parts = [`${countText(planned)} planned`, `${countText(found)} found`];
  if (complete !== null) parts.push(`${countText(complete)} complete`);
  const from = scan?.from === "square" ? "the square of the frames planned" : "as the file says";
  const shape = scan === null ? "no scan shape known" : `scan [${scan.shape.join(", ")}], ${from}`;
  if (thresholds === null) return `${parts.join(", ")}; ${shape}`;
  const names = thresholds.names === null ? "" : ` (${thresholds.names.join(", ")})`;
  return `${parts.join(", ")}; ${shape}; threshold ${thresholds.chosen} of ${thresholds.count}${names}`;
}

function detectorText({ detector, dtype, byteOrder }: Inspection): string | null {
  const { name, shape, dwellSeconds, flaggedPixels } = detector;
  const parts = [name, shape && `[${shape.join(", ")}]`, dtype && `${dtype} ${byteOrder}-endian`];
  if (dwellSeconds !== null) parts.push(`${Number(dwellSeconds.toPrecision(6))} s a frame`);
  if (flaggedPixels !== null) parts.push(`${plural(flaggedPixels, "flagged pixel")}`);
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.join(", ");
}

function dataText({ layout, filters }: Inspection): string | null {
  if (layout === null) return null;
  const chunks = layout.chunkShape === null ? "" : ` [${layout.chunkShape.join(", ")}], ${layout.index}`;
  const pipeline = filters.map(({ id, name, values }) => {
    const short = name.split(";", 1)[0] || "filter";
    return `${short} ${id}${values.length === 0 ? "" : `(${values.join(", ")})`}`;
  });
  return `${layout.storage}${chunks}; ${pipeline.length === 0 ? "no filters" : pipeline.join(" + ")}`;
}

function filesText({ files }: Inspection): string | null {
  if (files.length === 0) return null;
  const named = new Set(files.filter(({ file }) => file !== "").map(({ file }) => file)).size;
  const missing = files.filter(({ file, problem }) => file !== "" && problem !== null);
  if (missing.length === 0) return `${plural(named, "file")} with frames`;
  const list = missing.slice(0, LISTED).map(({ file }) => basename(file));
  const more = missing.length > LISTED ? ", …" : "";
  return `${plural(named, "data file")}, ${countText(missing.length)} of them missing or unreadable: ${list.join(", ")}${more}`;
}

function sizeText({ bytes }: Inspection): string | null {
  if (bytes.onDisk === 0) return null; // Nothing of it could be read as HDF5.
  const memory = bytes.inMemory === null ? "" : `, ${bytesText(bytes.inMemory)} in memory`;
  return `${bytesText(bytes.onDisk)} on disk${memory}`;
}

function valuesText({ values }: Inspection): string | null {
  const paths = Object.keys(values);
  return paths.length === 0 ? null : `${plural(paths.length, "number")} and texts in .values, by path`;
}
