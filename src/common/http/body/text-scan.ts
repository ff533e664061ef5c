import { isAscii } from 'node:buffer';

const QUOTE = 0x22;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** The first digits of the two escapes that are one character, in small letters: `\ud83d\ude00`. */
const SURROGATE = 0x64;
const HIGH_SURROGATES = '89ab';
const LOW_SURROGATES = 'cdef';

/** How a data URL begins. */
const DATA_URL = 'data:';
const DATA_URL_BYTES = Buffer.from(DATA_URL);

/** From this length on, the library finds the end of a text faster. */
const SHORT = 32;

/** Stands for the byte that says which escape it is. */
const ESCAPE_KIND = -1;

const enum Kind {
  /** So far the text is a beginning of `data:`. */
  Undecided,
  Words,
  File,
}

/** A part of a chunk that belongs to the content of a file. */
export interface FileCut {
  from: number;
  to: number;
  /** What stands in the text before the content. */
  head: string;
  /** Whether the content begins, or ends, with this part. */
  isFirst: boolean;
  isLast: boolean;
  /** Whether the content so far is what it means, without escapes and without anything but ASCII. */
  isBase64: boolean;
}

/**
 * Finds the end of a text in JSON that may be spread over several chunks, and tells contents of files from words. A content
 * is base64, in a data URL or where the reader expects it; `\/` may stand there, which some programs write for `/`.
 */
export class TextScan {
  /** Whether the text goes on in the next chunk. */
  isOpen = false;
  /** Characters of the text so far, when it is spread over several chunks. Contents of files do not count. */
  length = 0;
  /** Bytes of all texts so far that are contents of files. */
  fileBytes = 0;
  /** Where a content is in the newest chunk; null unless it is spread over several chunks. */
  cut: FileCut | null = null;
  private kind = Kind.Words;
  private isCutting = false;
  /** How much of `data:` stands at the beginning. */
  private matched = 0;
  private ownFileBytes = 0;
  private hasEscapes = false;
  /** Whether the first byte of the next chunk is escaped. */
  private isEscaped = false;
  /** Bytes to come of an escape that was counted. */
  private escapeLeft = 0;
  /** Whether the escape that is read may be half a character, and whether the one before it is a first half. */
  private mayBeHalf = false;
  private isAfterHalf = false;

  /** A text begins. @param kind dataUrl: the content of a file if it is a data URL, else words */
  open(kind: 'words' | 'dataUrl' | 'base64'): void {
    this.kind = kind === 'words' ? Kind.Words : kind === 'base64' ? Kind.File : Kind.Undecided;
    this.matched = 0;
    this.length = 0;
    this.ownFileBytes = 0;
    this.hasEscapes = false;
    this.escapeLeft = 0;
    this.isAfterHalf = false;
  }

  /**
   * Reads a part of the text.
   *
   * @param start where the part begins in the chunk
   * @returns where the closing quote is; the length of the chunk when the text goes on
   */
  read(chunk: Buffer, start: number): number {
    const beginsEscaped = this.isEscaped;
    const end = this.findEnd(chunk, start);
    const from = this.kind === Kind.Undecided ? this.recognize(chunk, start, end) : start;
    if (this.kind === Kind.File) {
      this.countFile(chunk.subarray(from, end), beginsEscaped);
    } else if (this.isOpen || this.length > 0) {
      this.countWords(chunk.subarray(start, end));
    }
    const isCut = this.isCutting || (this.isOpen && this.kind === Kind.File);
    const head = this.matched === DATA_URL.length ? DATA_URL : '';
    const isBase64 = this.kind === Kind.File && !this.hasEscapes;
    this.cut = isCut ? { from, to: end, head, isFirst: !this.isCutting, isLast: !this.isOpen, isBase64 } : null;
    this.isCutting = isCut && this.isOpen;
    return end;
  }

  private findEnd(chunk: Buffer, start: number): number {
    const first = this.isEscaped ? start + 1 : start;
    const short = Math.min(first + SHORT, chunk.length);
    let index = this.walk(chunk, first, short);
    if (index >= short && index < chunk.length) {
      const quote = chunk.indexOf(QUOTE, index);
      const end = quote === -1 ? chunk.length : quote;
      index = end === index || chunk[end - 1] !== BACKSLASH ? end : this.walk(chunk, index, chunk.length);
    }
    this.isOpen = index >= chunk.length;
    this.isEscaped = index > chunk.length;
    return Math.min(index, chunk.length);
  }

  /** @returns where the closing quote is, or `end`; one more when the byte there is escaped */
  private walk(chunk: Buffer, start: number, end: number): number {
    let index = start;
    while (index < end && chunk[index] !== QUOTE) {
      index += chunk[index] === BACKSLASH ? 2 : 1;
    }
    return index;
  }

  /** @returns where the content begins if it is one */
  private recognize(chunk: Buffer, start: number, end: number): number {
    let index = start;
    while (this.matched < DATA_URL.length && index < end && chunk[index] === DATA_URL_BYTES[this.matched]) {
      this.matched++;
      index++;
    }
    if (this.matched === DATA_URL.length) {
      this.kind = Kind.File;
    } else if (index < end || !this.isOpen) {
      this.kind = Kind.Words;
    }
    return index;
  }

  private countFile(part: Buffer, beginsEscaped: boolean): void {
    this.hasEscapes ||= part.includes(BACKSLASH);
    if (isAscii(part) && (!this.hasEscapes || hasOnlySlashesEscaped(part, beginsEscaped))) {
      this.ownFileBytes += part.length;
      this.fileBytes += part.length;
      return;
    }
    this.kind = Kind.Words;
    this.fileBytes -= this.ownFileBytes;
    this.length = this.ownFileBytes;
    this.countWords(part);
  }

  private countWords(part: Buffer): void {
    if (this.escapeLeft === 0 && isAscii(part) && !part.includes(BACKSLASH)) {
      this.length += part.length;
      this.isAfterHalf = false;
      return;
    }
    // Iterators of buffers take ten times as long.
    for (let index = 0; index < part.length; index++) {
      const byte = part[index] ?? 0;
      if (this.escapeLeft === ESCAPE_KIND) {
        this.escapeLeft = byte === LETTER_U ? 4 : 0;
        this.isAfterHalf &&= byte === LETTER_U;
      } else if (this.escapeLeft > 0) {
        this.countHalves(byte);
        this.escapeLeft--;
      } else if ((byte & 0xc0) !== 0x80) {
        this.length++;
        this.escapeLeft = byte === BACKSLASH ? ESCAPE_KIND : 0;
        this.isAfterHalf &&= byte === BACKSLASH;
      }
    }
  }

  /** Two escapes that are one character count once. @param byte a digit of `\uXXXX` */
  private countHalves(byte: number): void {
    if (this.escapeLeft === 4) {
      this.mayBeHalf = (byte | 0x20) === SURROGATE;
    } else if (this.escapeLeft === 3) {
      const digit = String.fromCharCode(byte).toLowerCase();
      this.length -= this.isAfterHalf && this.mayBeHalf && LOW_SURROGATES.includes(digit) ? 1 : 0;
      this.isAfterHalf = this.mayBeHalf && HIGH_SURROGATES.includes(digit);
    }
  }
}

function hasOnlySlashesEscaped(part: Buffer, beginsEscaped: boolean): boolean {
  let escaped = beginsEscaped ? 0 : escapedAfter(part, 0);
  while (escaped < part.length && part[escaped] === SLASH) {
    escaped = escapedAfter(part, escaped + 1);
  }
  return escaped >= part.length;
}

/** Where the next escaped byte is; the length when there is none. */
function escapedAfter(part: Buffer, start: number): number {
  const backslash = part.indexOf(BACKSLASH, start);
  return backslash === -1 ? part.length : backslash + 1;
}
