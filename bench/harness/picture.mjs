// Owns: the picture of a run: decoding speed of the fastest FrameLab set and the fastest library in each data set, as SVG.
// Must not know: how anything was measured beyond what the results say.
import { decodeRatios, framelabIsas } from "./ratios.mjs";

const BAR = 14;
const GAP = 12;
const LEFT = 130;
const WIDTH = 760;
const TOP = 40;
const COLORS = { framelab: "#1f6f8b", library: "#c9a227" };

/** An SVG text of plain bars, or null where no data set has both. */
export function decodePicture({ rows, machine }) {
  const [isa] = framelabIsas(rows);
  const ratios = decodeRatios(rows, isa);
  if (ratios.length === 0) return null;
  const speedOf = (name, contender, set) =>
    rows.find(
      (row) => row.case === name && row.threads === 1 && row.contender === contender && row.isa === set,
    ).gbPerS;
  const bars = ratios.map(({ case: name, ratio, against }) => {
    const ours = speedOf(name, "framelab", isa);
    return { name: name.replace("decode/", ""), ours, theirs: ours / ratio, against: against.split("/")[0] };
  });
  const most = Math.max(...bars.flatMap(({ ours, theirs }) => [ours, theirs]));
  const scale = (WIDTH - LEFT - 60) / most;
  const text = (x, y, content, anchor = "start") =>
    `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`;
  const bar = (y, value, color) =>
    `<rect x="${LEFT}" y="${y}" width="${(value * scale).toFixed(1)}" height="${BAR}" fill="${color}"/>${text(LEFT + value * scale + 4, y + BAR - 3, value.toFixed(1))}`;
  const body = bars.map(({ name, ours, theirs, against }, i) => {
    const y = TOP + i * (2 * BAR + GAP);
    const title = `<title>${escaped(`${name}: FrameLab ${ours.toFixed(2)}, ${against} ${theirs.toFixed(2)} GB/s`)}</title>`;
    return `<g>${title}${text(LEFT - 8, y + BAR + 4, name, "end")}${bar(y, ours, COLORS.framelab)}${bar(y + BAR, theirs, COLORS.library)}</g>`;
  });
  const height = TOP + bars.length * (2 * BAR + GAP);
  const heading = `Decoded GB/s, one core, ${machine.cpu}: FrameLab ${isa} (above), the fastest library (below)`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(heading)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    text(8, 20, heading),
    ...body,
    "</svg>\n",
  ].join("\n");
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
