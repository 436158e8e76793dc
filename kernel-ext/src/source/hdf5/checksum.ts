// Owns: the checksum of HDF5 metadata (Bob Jenkins' lookup3 hash, start value 0).
// Must not know: what the bytes are.

/** lookup3 of `bytes[from, to)` as an unsigned 32-bit number (format specification 3.0, "Checksum" fields). */
export function metadataChecksum(bytes: Buffer, from: number, to: number): number {
  let left = to - from;
  let a = (0xdeadbeef + left) | 0;
  let b = a;
  let c = a;
  let at = from;
  while (left > 12) {
    a = (a + bytes.readInt32LE(at)) | 0;
    b = (b + bytes.readInt32LE(at + 4)) | 0;
    c = (c + bytes.readInt32LE(at + 8)) | 0;
    a = ((a - c) ^ rotate(c, 4)) | 0;
    c = (c + b) | 0;
    b = ((b - a) ^ rotate(a, 6)) | 0;
    a = (a + c) | 0;
    c = ((c - b) ^ rotate(b, 8)) | 0;
    b = (b + a) | 0;
    a = ((a - c) ^ rotate(c, 16)) | 0;
    c = (c + b) | 0;
    b = ((b - a) ^ rotate(a, 19)) | 0;
    a = (a + c) | 0;
    c = ((c - b) ^ rotate(b, 4)) | 0;
    b = (b + a) | 0;
    at += 12;
    left -= 12;
  }
  if (left === 0) return c >>> 0;
  // The last 1 to 12 bytes, as if padded with zeros.
  a = (a + word(bytes, at, to)) | 0;
  b = (b + word(bytes, at + 4, to)) | 0;
  c = (c + word(bytes, at + 8, to)) | 0;
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  c = ((c ^ b) - rotate(b, 24)) | 0;
  return c >>> 0;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** Little-endian word of up to four bytes that end at `to`. */
function word(bytes: Buffer, at: number, to: number): number {
  let value = 0;
  for (let i = Math.min(4, to - at) - 1; i >= 0; i--) value = (value << 8) | bytes[at + i]!;
  return value;
}
