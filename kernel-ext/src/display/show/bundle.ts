// Owns: one display in several mime types, its text lines, and the shell of HTML that every display shares.
// Must not know: what is displayed.
import { randomBytes } from "node:crypto";
import { escapeHtml } from "../html";
import { kernelWriter } from "../sinks/kernel";

/** The same content as text, as HTML and, for pictures, as a PNG. */
export interface Bundle {
  readonly text: string;
  readonly html: string;
  readonly png?: Buffer;
}

/** A name for an element that no other display of the page has. */
export function elementId(): string {
  return `framelab-${randomBytes(6).toString("hex")}`;
}

/** Shows a bundle in the notebook, or its text on standard output outside of one. */
export function display(bundle: Bundle): void {
  const write = kernelWriter();
  if (write === null) {
    process.stdout.write(`${bundle.text}\n`);
    return;
  }
  const png = bundle.png === undefined ? {} : { "image/png": bundle.png.toString("base64") };
  const data = { "text/plain": bundle.text, "text/html": bundle.html, ...png };
  write({ data, id: elementId(), update: false });
}

/** Styles are inline, because notebooks strip style sheets; colours work on light pages, and say so by their own ground. */
export function shell(title: string, body: string): string {
  const heading =
    title === "" ? "" : `<div style="font-weight: 600; margin-bottom: 6px">${escapeHtml(title)}</div>`;
  return `<div style="font-family: system-ui, sans-serif; font-size: 14px; color: #24292f; background: #ffffff; padding: 8px">${heading}${body}</div>`;
}

/** The small grey line below a display. */
export function caption(text: string): string {
  return `<div style="color: #57606a; font-size: 12px; margin-top: 4px">${escapeHtml(text)}</div>`;
}

/** An `<img>` of a PNG. */
export function image(png: Buffer, width: number, height: number, alt: string): string {
  const source = `data:image/png;base64,${png.toString("base64")}`;
  return `<img alt="${escapeHtml(alt)}" width="${width}" height="${height}" src="${source}">`;
}
