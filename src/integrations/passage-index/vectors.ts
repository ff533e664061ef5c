/** Vectors of a collection, with numbers of eight bits in rows whose size is a multiple of 16. */
export interface SegmentVectors {
  passageIds: Int32Array;
  ingestionIds: Int32Array;
  /** What a number of the row stands for. */
  scales: Float32Array;
  rows: Int8Array;
}

/** A vector as numbers of eight bits. */
export interface SmallVector {
  scale: number;
  row: Int8Array;
}

const ALIGNMENT = 16;
const LARGEST = 127;

/** The vector of length 1 in the same direction. A vector of zeros stays, and is similar to none. */
export function unitVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dotProduct(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The cosine of two vectors of length 1. */
export function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) {
    sum += one[index]! * other[index]!;
  }
  return sum;
}

export function toSmallVector(vector: Float32Array): SmallVector {
  const row = new Int8Array(Math.ceil(vector.length / ALIGNMENT) * ALIGNMENT);
  const scale = vector.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) / LARGEST;
  if (scale > 0) {
    vector.forEach((value, index) => (row[index] = Math.round(value / scale)));
  }
  return { scale, row };
}

/** A vector as it is stored. */
export function toVectorBytes(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function fromVectorBytes(bytes: Uint8Array): Float32Array {
  return new Float32Array(aligned(bytes));
}

/** The ids, the ingestions, the scales and the rows, one after another. */
export function toSegmentBytes({ passageIds, ingestionIds, scales, rows }: SegmentVectors): Buffer {
  return Buffer.concat([passageIds, ingestionIds, scales, rows].map(viewOf));
}

export function fromSegmentBytes(bytes: Uint8Array, count: number): SegmentVectors {
  const buffer = aligned(bytes);
  return {
    passageIds: new Int32Array(buffer, 0, count),
    ingestionIds: new Int32Array(buffer, 4 * count, count),
    scales: new Float32Array(buffer, 8 * count, count),
    rows: new Int8Array(buffer, 12 * count),
  };
}

/** The vectors of some ingestions, from several segments. */
export function joinSegments(
  segments: readonly SegmentVectors[],
  isKept: (ingestionId: number) => boolean,
): SegmentVectors {
  const kept = segments.map(({ ingestionIds }) => [...ingestionIds.keys()].filter((at) => isKept(ingestionIds[at]!)));
  const count = kept.reduce((sum, { length }) => sum + length, 0);
  const size = rowSize(segments[0]!);
  const joined: SegmentVectors = {
    passageIds: new Int32Array(count),
    ingestionIds: new Int32Array(count),
    scales: new Float32Array(count),
    rows: new Int8Array(count * size),
  };
  let next = 0;
  for (const [index, from] of segments.entries()) {
    for (const at of kept[index]!) {
      joined.passageIds[next] = from.passageIds[at]!;
      joined.ingestionIds[next] = from.ingestionIds[at]!;
      joined.scales[next] = from.scales[at]!;
      joined.rows.set(from.rows.subarray(at * size, (at + 1) * size), next * size);
      next++;
    }
  }
  return joined;
}

export function sliceSegment(segment: SegmentVectors, start: number, end: number): SegmentVectors {
  const size = rowSize(segment);
  return {
    passageIds: segment.passageIds.subarray(start, end),
    ingestionIds: segment.ingestionIds.subarray(start, end),
    scales: segment.scales.subarray(start, end),
    rows: segment.rows.subarray(start * size, end * size),
  };
}

export function rowSize({ passageIds, rows }: SegmentVectors): number {
  return passageIds.length === 0 ? 0 : rows.length / passageIds.length;
}

/** Drivers return parts of larger buffers, at any offset. */
function aligned(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function viewOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
