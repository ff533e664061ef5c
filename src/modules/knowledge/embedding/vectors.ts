const FLOAT_BYTES = 4;

/** The vector with length 1, so that products of vectors are cosines. */
export function unitVector(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** 32-bit floating-point numbers, little-endian. */
export function vectorBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * FLOAT_BYTES);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * FLOAT_BYTES));
  return bytes;
}

export function vectorOf(stored: Uint8Array): Float32Array {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  return Float32Array.from({ length: bytes.length / FLOAT_BYTES }, (_value, index) =>
    bytes.readFloatLE(index * FLOAT_BYTES),
  );
}
