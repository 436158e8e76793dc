// Owns: how speeds and ratios are written in tables.
// Must not know: which figures there are, what stands around them.

/** GB/s with three digits or so. */
export const speed = (value) => (value >= 10 ? value.toFixed(1) : value.toFixed(2));

/** An entry of `decodeRatios` as `1.50 x dectris`; a dash without one. */
export function ratioOver(entry) {
  return entry ? `${entry.ratio.toFixed(2)} x ${entry.against.split("-")[0]}` : "–";
}
