// Owns: source arrays for parity tests: seeded counts of every dtype, as native values and as stored bytes.
// Must not know: any code under test, chunks, encoders.

/** Bytes of one element, typed array, and DataView setter of every dtype that detectors write. */
export const DTYPES = [
  { dtype: "u8", bytes: 1, array: Uint8Array, set: "setUint8" },
  { dtype: "u16", bytes: 2, array: Uint16Array, set: "setUint16" },
  { dtype: "u32", bytes: 4, array: Uint32Array, set: "setUint32" },
  { dtype: "u64", bytes: 8, array: BigUint64Array, set: "setBigUint64" },
  { dtype: "i8", bytes: 1, array: Int8Array, set: "setInt8" },
  { dtype: "i16", bytes: 2, array: Int16Array, set: "setInt16" },
  { dtype: "i32", bytes: 4, array: Int32Array, set: "setInt32" },
  { dtype: "i64", bytes: 8, array: BigInt64Array, set: "setBigInt64" },
  { dtype: "f32", bytes: 4, array: Float32Array, set: "setFloat32" },
  { dtype: "f64", bytes: 8, array: Float64Array, set: "setFloat64" },
] as const;

export type DtypeRow = (typeof DTYPES)[number];

/** A small seeded generator (xorshift32): the same numbers on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/**
 * `elements` native values: mostly low counts, some bright, some flagged (all bits set), so that every bit plane and
 * both compressible and incompressible blocks occur.
 */
export function sourceValues(
  row: DtypeRow,
  elements: number,
  seed: number,
): ArrayLike<number | bigint> & ArrayBufferView {
  const random = seededRandom(seed);
  const values = new row.array(elements);
  const bytes = new Uint8Array(values.buffer);
  for (let i = 0; i < elements; i++) {
    const kind = random();
    if (kind < 0.8) bytes[i * row.bytes] = Math.floor(8 * random() * random());
    else if (kind < 0.97) bytes.fill(Math.floor(256 * random()), i * row.bytes, (i + 1) * row.bytes);
    else bytes.fill(255, i * row.bytes, (i + 1) * row.bytes);
  }
  return values;
}

/** The values as a file of that byte order stores them, written value by value through a DataView. */
export function storedElements(row: DtypeRow, values: ArrayBufferView, littleEndian: boolean): Uint8Array {
  const native = values as unknown as ArrayLike<never>;
  const view = new DataView(new ArrayBuffer(values.byteLength));
  for (let i = 0; i < native.length; i++) view[row.set](i * row.bytes, native[i]!, littleEndian);
  return new Uint8Array(view.buffer);
}
