/** Receives a passage that contains a term. */
export type OnPosting = (passageId: number, frequency: number, length: number) => void;

/**
 * The passages of a part that contain a term, as bytes. Each passage is the distance of its id from the previous one,
 * how often the term occurs, and the length of the passage, all numbers of seven bits a byte. The lowest bit of the
 * distance says whether a frequency other than 1 follows.
 */
export class PostingsWriter {
  private readonly bytes: number[] = [];
  private lastId: number;

  /** @param firstId the id of the part's first passage */
  constructor(firstId: number) {
    this.lastId = firstId;
  }

  /** @param passageId ascending */
  add(passageId: number, frequency: number, length: number): void {
    this.write((passageId - this.lastId) * 2 + (frequency === 1 ? 0 : 1));
    if (frequency !== 1) {
      this.write(frequency);
    }
    this.write(length);
    this.lastId = passageId;
  }

  toBytes(): Buffer {
    return Buffer.from(this.bytes);
  }

  private write(number: number): void {
    let left = number;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) {
      this.bytes.push((left % 0x80) | 0x80);
    }
    this.bytes.push(left);
  }
}

/** Reads what `PostingsWriter` wrote. */
export function readPostings(bytes: Uint8Array, firstId: number, onPosting: OnPosting): void {
  let at = 0;
  const read = (): number => {
    let byte = bytes[at++]!;
    if (byte < 0x80) {
      return byte;
    }
    let number = byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = bytes[at++]!;
      number += (byte & 0x7f) * factor;
    }
    return number;
  };
  for (let passageId = firstId; at < bytes.length;) {
    const step = read();
    passageId += Math.floor(step / 2);
    const frequency = step % 2 === 0 ? 1 : read();
    onPosting(passageId, frequency, read());
  }
}
