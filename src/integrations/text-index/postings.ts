/** Most documents in one segment of the index. */
export const SEGMENT_DOCUMENTS = 4_096;

const BITMAP_BYTES = SEGMENT_DOCUMENTS / 8;

/**
 * The documents of a segment that contain a gram, as bytes: the distances between their ordinals, each in one or two
 * bytes, or one bit for each document if that is shorter.
 *
 * @param ordinals ascending, below `SEGMENT_DOCUMENTS`
 */
export function toPostings(ordinals: readonly number[]): Buffer {
  const bytes: number[] = [];
  let next = 0;
  for (const ordinal of ordinals) {
    const distance = ordinal - next;
    if (distance < 0x80) {
      bytes.push(distance);
    } else {
      bytes.push(0x80 | (distance >> 8), distance & 0xff);
    }
    next = ordinal + 1;
  }
  if (bytes.length < BITMAP_BYTES) {
    return Buffer.from(bytes);
  }
  const bitmap = Buffer.alloc(BITMAP_BYTES);
  ordinals.forEach((ordinal) => (bitmap[ordinal >> 3]! |= 1 << (ordinal & 7)));
  return bitmap;
}

/** The documents that contain every gram, as a bitmap. */
export function intersection(postings: readonly Uint8Array[]): Uint8Array {
  const bitmaps = postings.map(toBitmap);
  const common = new Uint8Array(BITMAP_BYTES).fill(0xff);
  for (const bitmap of bitmaps) {
    for (let index = 0; index < BITMAP_BYTES; index++) {
      common[index]! &= bitmap[index]!;
    }
  }
  return common;
}

/** The ordinals from `start` to before `end` whose bits are set, the last one first. */
export function setBits(bitmap: Uint8Array, start: number, end: number): number[] {
  const ordinals: number[] = [];
  for (let ordinal = end - 1; ordinal >= start; ordinal--) {
    if ((bitmap[ordinal >> 3]! & (1 << (ordinal & 7))) !== 0) {
      ordinals.push(ordinal);
    }
  }
  return ordinals;
}

function toBitmap(bytes: Uint8Array): Uint8Array {
  if (bytes.length === BITMAP_BYTES) {
    return bytes;
  }
  const bitmap = new Uint8Array(BITMAP_BYTES);
  let ordinal = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    ordinal += byte < 0x80 ? byte : ((byte & 0x7f) << 8) | bytes[++index]!;
    bitmap[ordinal >> 3]! |= 1 << (ordinal & 7);
    ordinal++;
  }
  return bitmap;
}
