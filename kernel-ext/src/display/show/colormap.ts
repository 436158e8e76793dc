// Owns: colour maps: made in a perceptual colour space, so that equal steps of a value look equal.
// Must not know: what is drawn with them.

/** 256 colours of 3 bytes (sRGB), from low to high. */
export type ColorTable = Uint8Array;

export const COLORMAPS = ["blue-yellow", "red-yellow", "gray"] as const;
export type ColormapName = (typeof COLORMAPS)[number];

/** A path through OKLCH: lightness and hue run straight from start to end, chroma rises to `chroma` and falls again. */
interface Path {
  readonly lightness: readonly [number, number];
  /** Degrees. */
  readonly hue: readonly [number, number];
  readonly chroma: number;
}

// Lightness rises all the way in each, so that they read the same for every kind of colour vision and in print.
const PATHS: Record<ColormapName, Path> = {
  "blue-yellow": { lightness: [0.16, 0.95], hue: [292, 104], chroma: 0.15 },
  "red-yellow": { lightness: [0.1, 0.97], hue: [-30, 108], chroma: 0.19 },
  gray: { lightness: [0.1, 0.98], hue: [0, 0], chroma: 0 },
};

const COLORS = 256;
const FINE_STEPS = 2048;
const cache = new Map<ColormapName, ColorTable>();

type Triple = readonly [number, number, number];

/** The table of a colour map. */
export function colorTable(name: ColormapName): ColorTable {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const table = makeTable(PATHS[name]);
  cache.set(name, table);
  return table;
}

/** A colour of a table as `#rrggbb`. */
export function hexColor(table: ColorTable, index: number): string {
  const bytes = table.subarray(3 * index, 3 * index + 3);
  return `#${Buffer.from(bytes).toString("hex")}`;
}

/** Walks the path in fine steps and picks 256 points that are equally far apart in OKLab. */
function makeTable(path: Path): ColorTable {
  const points = Array.from({ length: FINE_STEPS + 1 }, (_, i) => labAt(path, i / FINE_STEPS));
  const lengths = [0];
  for (let i = 1; i < points.length; i++) {
    lengths.push(lengths[i - 1]! + distance(points[i - 1]!, points[i]!));
  }
  const table = new Uint8Array(3 * COLORS);
  let at = 0;
  for (let color = 0; color < COLORS; color++) {
    const wanted = (lengths[FINE_STEPS]! * color) / (COLORS - 1);
    while (at < FINE_STEPS && lengths[at]! < wanted) at += 1;
    table.set(linearFromLab(points[at]!).map(byteFromLinear), 3 * color);
  }
  return table;
}

function distance(a: Triple, b: Triple): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** OKLab of the path at `t`, with as much of its chroma as sRGB can show there. */
function labAt({ lightness, hue, chroma }: Path, t: number): Triple {
  const light = lightness[0] + (lightness[1] - lightness[0]) * t;
  const angle = ((hue[0] + (hue[1] - hue[0]) * t) * Math.PI) / 180;
  const wanted = chroma * Math.sin(Math.PI * (0.12 + 0.76 * t)) ** 0.7;
  const lab = (c: number): Triple => [light, c * Math.cos(angle), c * Math.sin(angle)];
  let low = 0;
  let high = wanted;
  if (inGamut(lab(high))) return lab(high);
  for (let i = 0; i < 20; i++) {
    const middle = (low + high) / 2;
    if (inGamut(lab(middle))) low = middle;
    else high = middle;
  }
  return lab(low);
}

function inGamut(lab: Triple): boolean {
  return linearFromLab(lab).every((value) => value >= 0 && value <= 1);
}

/** OKLab to linear sRGB (B. Ottosson's published matrices). */
function linearFromLab([light, a, b]: Triple): Triple {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function byteFromLinear(value: number): number {
  const clamped = Math.min(1, Math.max(0, value));
  const encoded = clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055;
  return Math.round(255 * encoded);
}
