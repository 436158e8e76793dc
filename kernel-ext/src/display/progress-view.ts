// Owns: one progress event as a line of text and as HTML that survives a notebook's sanitiser.
// Must not know: where and how often it is shown.
import type { ProgressEvent } from "../types";
import { escapeHtml } from "./html";
import { bytesText, countText, plural, rateText, secondsText } from "./units";

const BAR_CELLS = 20;

/** Fraction of the frames done, 0 to 1. */
function fraction(event: ProgressEvent): number {
  if (event.state === "done") return 1;
  return event.framesTotal > 0 ? Math.min(1, event.framesDone / event.framesTotal) : 0;
}

/** Before this fraction the time for opening outweighs the decoding: "51 min left" after one frame would be noise. */
const KNOWN_FROM = 0.01;

/** Seconds left at the speed so far, or null while nothing is known. */
function secondsLeft(event: ProgressEvent): number | null {
  const done = fraction(event);
  return done >= KNOWN_FROM && done < 1 ? (event.seconds * (1 - done)) / done : null;
}

/** The parts behind the bar: frames, speed, time, backend. Damage stands apart, because it is coloured. */
function facts(event: ProgressEvent): string[] {
  const parts: string[] = [];
  // What fails before the frames are counted has none to name.
  if (event.framesTotal > 0 || event.state === "running") {
    parts.push(`${countText(event.framesDone)} / ${countText(event.framesTotal)} frames`);
  }
  if (event.decodedBytes > 0) parts.push(rateText(event.decodedBytes, event.seconds));
  if (event.state === "running") {
    const left = secondsLeft(event);
    if (left !== null) parts.push(`${secondsText(left)} left`);
  } else {
    parts.push(secondsText(event.seconds));
  }
  if (event.backend !== null) parts.push(event.backend);
  return parts;
}

/** The sentence of a final state: the first one, because a long message stands where the error is shown. */
function verdict(event: ProgressEvent): string {
  const first = /^.+?[.!?](?=\s)/s.exec(event.message)?.[0] ?? event.message;
  if (first !== "") return first;
  if (event.state === "done") return `${plural(event.framesDone, "frame")}, ${bytesText(event.decodedBytes)}`;
  return event.state;
}

/**
 * One line without colours: `load [########............] 40 %  103 / 256 frames  0.1 GB/s  2.1 s left  cpu`,
 * at the end `load done  Frames u16 [16, 16, 192, 192] cpu 0.1 GB/s, 0 damaged  0.18 s`.
 */
export function progressText(event: ProgressEvent): string {
  if (event.state === "done") return `${event.task} done  ${verdict(event)}  ${secondsText(event.seconds)}`;
  const damage = event.damaged > 0 ? [`${countText(event.damaged)} damaged`] : [];
  const rest = [...facts(event), ...damage].join("  ");
  if (event.state !== "running") return `${event.task} ${event.state}  ${rest}  ${verdict(event)}`.trimEnd();
  const done = fraction(event);
  const filled = Math.floor(done * BAR_CELLS);
  const bar = "#".repeat(filled).padEnd(BAR_CELLS, ".");
  return `${event.task} [${bar}] ${Math.floor(done * 100)} %  ${rest}`;
}

const MARKS = { done: "✓", cancelled: "■", failed: "✗" } as const;
const COLORS = { running: "#0969da", done: "#1a7f37", cancelled: "#9a6700", failed: "#cf222e" } as const;

/** The same as HTML: a `<progress>` element and inline styles only, because notebooks strip scripts and SVG. */
export function progressHtml(event: ProgressEvent): string {
  const percent = Math.floor(fraction(event) * 100);
  const bar = `<progress max="100" value="${percent}" style="width: 200px; accent-color: ${COLORS[event.state]}"></progress>`;
  const damage =
    event.damaged > 0
      ? ` · <span style="color: #cf222e; font-weight: bold; white-space: nowrap">${countText(event.damaged)} damaged</span>`
      : "";
  const rest = `${facts(event).map(escapeHtml).join(" · ")}${damage}`;
  const task = escapeHtml(event.task);
  if (event.state === "running") return line(`${task} ${bar} ${percent} % · ${rest}`);
  const said = escapeHtml(verdict(event));
  const mark = `<span style="color: ${COLORS[event.state]}; font-weight: bold">${MARKS[event.state]} ${task} ${event.state}</span>`;
  if (event.state === "done") return line(`${mark} · ${said} · ${secondsText(event.seconds)}`);
  // A bar that stopped on the way stays: how far it came is part of the truth.
  return line(`${mark} ${bar} ${percent} % · ${rest}<br>${said}`);
}

function line(html: string): string {
  return `<div style="font-family: monospace; font-size: 13px; white-space: pre-wrap; padding: 2px 8px">${html}</div>`;
}
