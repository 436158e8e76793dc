// Owns: the interactive form of a figure: a script that puts plotly.js in the place of the static picture, and
// plotly.js itself, sent once a notebook. Must not know: how the static picture is made.
// Where scripts are stripped (an untrusted notebook, a mail) the static picture stays: nothing else depends on this.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** JSON that cannot end the script element it stands in. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, "\\u003c")
    .replace(/\u2028/g, "\\u2028")
    .replace(/\u2029/g, "\\u2029");
}

/** Height in CSS pixels of plotly's tools above a figure: the static picture leaves room for them. */
export const TOOLBAR = 26;

/** Set to `0` for small notebooks with static pictures only. */
const SWITCH = "FRAMELAB_INTERACTIVE";

/** One marker for the process, so that two copies of this package send plotly.js once. */
const SENT: unique symbol = Symbol.for("framelab.plotly-sent") as never;

/** The text of plotly.js: minified when the package was built (4.6 MB), else as it was published (10 MB). */
function plotlySource(): string {
  const minified = join(__dirname, "..", "..", "plotly.min.js");
  return readFileSync(existsSync(minified) ? minified : require.resolve("plotly.js-dist"), "utf8");
}

/** True when figures get their interactive form. */
export function interactiveWanted(): boolean {
  return process.env[SWITCH] !== "0";
}

/** The script element that defines `window.Plotly`: once a process, then the empty text. */
function plotlyOnce(): string {
  const marked = globalThis as { [SENT]?: true };
  if (marked[SENT]) return "";
  marked[SENT] = true;
  return `<script>if (!window.Plotly) {${plotlySource().replace(/<\/script/gi, "<\\/script")}}</script>`;
}

/** Numbers as base64 of the narrowest typed array that holds them. */
export interface PackedNumbers {
  readonly type: "Uint8Array" | "Uint16Array" | "Uint32Array" | "Float32Array" | "Float64Array";
  readonly base64: string;
}

/** Packs numbers; NaN needs a float type. */
export function packNumbers(values: Float64Array): PackedNumbers {
  const whole = values.every((value) => Number.isInteger(value) && value >= 0);
  const most = values.reduce((max, value) => Math.max(max, value), 0);
  const narrow =
    whole && most < 2 ** 8
      ? Uint8Array.from(values)
      : whole && most < 2 ** 16
        ? Uint16Array.from(values)
        : whole && most < 2 ** 32
          ? Uint32Array.from(values)
          : values.every((value) => Number.isNaN(value) || Math.fround(value) === value)
            ? Float32Array.from(values)
            : values;
  const base64 = Buffer.from(narrow.buffer, narrow.byteOffset, narrow.byteLength).toString("base64");
  return { type: narrow.constructor.name as PackedNumbers["type"], base64 };
}

/** Code that draws into `element` with `Plotly`, given `figure`, `numbers(packed)`; all as text for the page. */
export interface Upgrade {
  /** Id of the element that holds the static picture. */
  readonly id: string;
  /** What the code below finds as `figure`. */
  readonly figure: unknown;
  /** Body of `function (Plotly, element, figure, numbers)`. Fixed text: data come through `figure` only. */
  readonly draw: string;
}

const NUMBERS = `function numbers(p) {
  var bytes = Uint8Array.from(atob(p.base64), function (c) { return c.charCodeAt(0); });
  return new window[p.type](bytes.buffer);
}`;

/** The scripts that make a static picture interactive, or the empty text when that is switched off. */
export function upgradeScripts({ id, figure, draw }: Upgrade): string {
  if (!interactiveWanted()) return "";
  return `${plotlyOnce()}<script>(function () {
var element = document.getElementById(${scriptJson(id)});
if (!element || !window.Plotly) return;
${NUMBERS}
(function (Plotly, element, figure) {
${draw}
})(window.Plotly, element, ${scriptJson(figure)});
})();</script>`;
}
