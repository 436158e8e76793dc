// Owns: the strokes of the characters that label a picture. Own drawings, so that a picture is the same on every
// machine whatever fonts it has. Must not know: pixels. Holds what axis labels need; titles stand in HTML.

/** Strokes of a character as polylines on a grid: x to the right, y up from the base line. */
export type Glyph = readonly (readonly (readonly [number, number])[])[];

/** Advance and width of every character, and height of digits, in grid units. */
export const ADVANCE = 5.6;
export const GLYPH_WIDTH = 4;
export const DIGIT_HEIGHT = 6;

/** Strokes are separated by `|`, their points written as two digits: x, then y. */
const STROKES: Readonly<Record<string, string>> = {
  "0": "10 01 05 16 36 45 41 30 10",
  "1": "04 26 20",
  "2": "05 16 36 45 44 00 40",
  "3": "05 16 36 45 44 33 13|33 42 41 30 10 01",
  "4": "30 36 02 42",
  "5": "46 06 03 33 42 41 30 10 01",
  "6": "45 36 16 05 01 10 30 41 42 33 13 02",
  "7": "06 46 10",
  "8": "13 04 05 16 36 45 44 33 13 02 01 10 30 41 42 33",
  "9": "01 10 30 41 45 36 16 05 04 13 33 44",
  "-": "13 43",
  "+": "13 43|21 25",
  ".": "20 20",
  a: "03 14 34 43 40|42 12 01 10 30 41",
  b: "06 00|03 14 34 43 41 30 10 01",
  c: "43 34 14 03 01 10 30 41",
  d: "46 40|43 34 14 03 01 10 30 41",
  e: "02 42 43 34 14 03 01 10 40",
  f: "36 26 15 10|04 34",
  g: "44 14 03 02 11 41|44 41 30 00",
  h: "06 00|03 14 34 43 40",
  i: "20 24|26 26",
  k: "06 00|34 02 40",
  l: "16 26 20",
  m: "00 04|03 14 23 20|23 34 43 40",
  n: "00 04|03 14 34 43 40",
  o: "14 03 01 10 30 41 43 34 14",
  p: "00 04|04 34 43 42 31 01",
  r: "10 14|12 23 34 44",
  s: "43 34 14 03 12 32 41 30 10 01",
  t: "16 11 20 30|04 34",
  u: "04 01 10 30 41|44 40",
  v: "04 20 44",
  w: "04 10 23 30 44",
  x: "04 40|00 44",
  y: "04 21|44 10 00",
  z: "04 44 00 40",
  "/": "00 46",
};

/** Whether all of a text can be drawn: half a unit would be another one. */
export function hasGlyphs(words: string): boolean {
  return [...words].every((char) => char === " " || STROKES[char] !== undefined);
}

/** The strokes of a character; a space, or one that there is none for, has none. */
export function glyph(char: string): Glyph {
  const strokes = STROKES[char];
  if (strokes === undefined) return [];
  return strokes
    .split("|")
    .map((stroke) => stroke.split(" ").map((point) => [Number(point[0]), Number(point[1])] as const));
}
