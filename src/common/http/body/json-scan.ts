import { isAscii } from 'node:buffer';
import type { FieldFault } from '../../errors/validation.errors';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** Escapes that base64 may contain: some programs write `\/` for `/`, and line ends are `\n`, `\r` and `\t` in JSON. */
const ESCAPED_IN_BASE64 = new Set(Buffer.from('/nrt'));

/** The first digits of the two escapes that form one character, in lower case: `\ud83d\ude00`. */
const SURROGATE = 0x64;
const HIGH_SURROGATES = '89ab';
const LOW_SURROGATES = 'cdef';

/** The prefix of a data URL. */
const DATA_URL = 'data:';
const DATA_URL_BYTES = Buffer.from(DATA_URL);

/** From this length on, the library finds the end of a text faster. */
const SHORT = 32;

/** Represents the byte that follows the backslash of an escape. */
const ESCAPE_KIND = -1;

const enum Kind {
  /** The text so far is a prefix of `data:`. */
  Undecided,
  Words,
  File,
}

/** A part of a chunk that belongs to the content of a file. */
export interface FileCut {
  from: number;
  to: number;
  /** The text before the content, in the same string. */
  head: string;
  /** Whether the content begins, or ends, with this part. */
  isFirst: boolean;
  isLast: boolean;
  /** Whether the content so far has no escapes and only ASCII, so that it needs no decoding. */
  isBase64: boolean;
}

/**
 * Finds the end of a string in JSON that may be spread over several chunks, and distinguishes contents of files from
 * other text. A content is base64, in a data URL or where the reader expects it, and may be divided into lines.
 */
class TextScan {
  /** Whether the text continues in the next chunk. */
  isOpen = false;
  /** Characters of the text so far if it is spread over several chunks, not counting the contents of files. */
  length = 0;
  /** Bytes of all texts so far that are contents of files. */
  fileBytes = 0;
  /** Position of a content in the newest chunk; null unless it is spread over several chunks. */
  cut: FileCut | null = null;
  private kind = Kind.Words;
  private isCutting = false;
  /** How many characters of `data:` have matched so far. */
  private matched = 0;
  private ownFileBytes = 0;
  private hasEscapes = false;
  /** Whether the first byte of the next chunk is escaped. */
  private isEscaped = false;
  /** Bytes left of an escape that was counted already. */
  private escapeLeft = 0;
  /** Whether the current escape may be half a character, and whether the one before it is a first half. */
  private mayBeHalf = false;
  private isAfterHalf = false;

  /** Starts a text. @param kind dataUrl: the content of a file if it is a data URL, otherwise ordinary text */
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
   * @param start position of the part in the chunk
   * @returns position of the closing quote; the length of the chunk if the text continues
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

  /** @returns position of the closing quote, or `end`; one more if the byte there is escaped */
  private walk(chunk: Buffer, start: number, end: number): number {
    let index = start;
    while (index < end && chunk[index] !== QUOTE) {
      index += chunk[index] === BACKSLASH ? 2 : 1;
    }
    return index;
  }

  /** @returns position of the content, if the text is a data URL */
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
    if (isAscii(part) && (!this.hasEscapes || hasBase64Escapes(part, beginsEscaped))) {
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

  /** Counts two escapes that form one character once. @param byte a digit of `\uXXXX` */
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

function hasBase64Escapes(part: Buffer, beginsEscaped: boolean): boolean {
  let escaped = beginsEscaped ? 0 : escapedAfter(part, 0);
  while (escaped < part.length && ESCAPED_IN_BASE64.has(part[escaped] ?? 0)) {
    escaped = escapedAfter(part, escaped + 1);
  }
  return escaped >= part.length;
}

/** Position of the next escaped byte; the length if there is none. */
function escapedAfter(part: Buffer, start: number): number {
  const backslash = part.indexOf(BACKSLASH, start);
  return backslash === -1 ? part.length : backslash + 1;
}

/** Deepest nesting of a body. Only attackers need more. */
const DEEPEST = 32;

/**
 * Most members of an object. Many members are slow to parse, and class-transformer compares each name with all others.
 */
export const MOST_MEMBERS = 1_000;

/** Longest text in characters. With JSON's overhead, it fits into one statement of MariaDB. */
export const LONGEST_TEXT = 1_000_000;

/** A fault names at most this many characters of a name. */
const LONGEST_NAME = 256;

/** Members that may have the content of a file: as a data URL, or as base64 alone. */
const FILE_MEMBERS = new Map<string, 'dataUrl' | 'base64'>([
  ['url', 'dataUrl'],
  ['image_url', 'dataUrl'],
  ['file_url', 'dataUrl'],
  ['file_data', 'base64'],
]);

const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** Limits of a body. */
export interface JsonLimits {
  /** Most values, including those in lists and objects. Copying and validating a value takes about a microsecond. */
  mostValues: number;
  /** Most members of an object; default: `MOST_MEMBERS`. */
  mostMembers?: number;
  /** Whether contents of files are allowed. Otherwise they count as ordinary text. */
  takesFiles: boolean;
  /** Longest text in characters; default: `LONGEST_TEXT`. */
  longestText?: number;
}

/** An object or list that contains the current position of the scan. */
interface Level {
  isObject: boolean;
  /** Members or items so far, including the current one. */
  size: number;
  /** The name of the current member as written in the JSON. */
  name: string;
}

/**
 * Scans JSON while it arrives for too deep nesting, too many members or values, and texts that are too long. Such a
 * body is not parsed, and its rest is never read. The scan costs a fraction of the parsing. It does not check whether
 * the text is valid JSON. Contents of files may be longer than other texts (see `TextScan`).
 */
export class JsonScan {
  /** Contents of files in the newest chunk that are spread over several chunks. */
  cuts: FileCut[] = [];
  private readonly levels: Level[] = [];
  private readonly text = new TextScan();
  private level: Level | undefined;
  private values = 0;
  private isNameNext = false;
  private isName = false;

  constructor(private readonly limits: JsonLimits) {}

  /** Bytes so far that are contents of files. */
  get fileBytes(): number {
    return this.text.fileBytes;
  }

  /** @returns the first fault; null if there is none so far */
  scan(chunk: Buffer): FieldFault | null {
    this.cuts = [];
    let fault: FieldFault | null = null;
    let index = 0;
    if (this.text.isOpen) {
      index = this.read(chunk, 0) + 1;
      fault = this.tooLong();
    }
    for (; index < chunk.length && fault === null; index++) {
      switch (chunk[index] ?? 0) {
        case QUOTE:
          this.openText();
          index = this.read(chunk, index + 1);
          fault = this.tooLong();
          break;
        case OPEN_OBJECT:
          fault = this.enter(true);
          break;
        case OPEN_LIST:
          fault = this.enter(false);
          break;
        case CLOSE_OBJECT:
        case CLOSE_LIST:
          this.levels.pop();
          this.level = this.levels.at(-1);
          break;
        case COMMA:
          fault = this.next();
          break;
      }
    }
    return fault;
  }

  private openText(): void {
    this.isName = this.isNameNext;
    this.isNameNext = false;
    if (this.isName && this.level !== undefined) {
      this.level.name = '';
    }
    const isMember = !this.isName && this.level?.isObject === true;
    const kind = this.limits.takesFiles && isMember ? FILE_MEMBERS.get(this.level?.name ?? '') : undefined;
    this.text.open(kind ?? 'words');
  }

  private read(chunk: Buffer, start: number): number {
    const end = this.text.read(chunk, start);
    if (this.isName && this.level !== undefined && this.level.name.length < LONGEST_NAME) {
      this.level.name += chunk.toString('utf8', start, Math.min(end, start + LONGEST_NAME));
    }
    if (this.text.cut !== null) {
      this.cuts.push(this.text.cut);
    }
    return end;
  }

  private enter(isObject: boolean): FieldFault | null {
    if (this.levels.length === DEEPEST) {
      return { field: 'body', reason: 'nested_too_deeply' };
    }
    this.level = { isObject, size: 1, name: '' };
    this.levels.push(this.level);
    this.isNameNext = isObject;
    return this.countValue();
  }

  private next(): FieldFault | null {
    const { level } = this;
    this.isNameNext = level?.isObject ?? false;
    const { mostMembers = MOST_MEMBERS } = this.limits;
    if (level !== undefined && ++level.size > mostMembers && level.isObject) {
      return tooMany(pathOf(this.levels.slice(0, -1)), mostMembers);
    }
    return this.countValue();
  }

  private countValue(): FieldFault | null {
    return ++this.values > this.limits.mostValues ? tooMany('body', this.limits.mostValues) : null;
  }

  private tooLong(): FieldFault | null {
    const { longestText = LONGEST_TEXT } = this.limits;
    if (this.text.length <= longestText) {
      return null;
    }
    const field = pathOf(this.isName ? this.levels.slice(0, -1) : this.levels);
    return { field, reason: 'too_long', values: { maximum: longestText } };
  }
}

function tooMany(field: string, maximum: number): FieldFault {
  return { field, reason: 'too_many_items', values: { maximum } };
}

/** The path of a value, built from the names or indexes of the levels around it. */
function pathOf(levels: Level[]): string {
  return levels.map(({ isObject, size, name }) => (isObject ? name : size - 1)).join('.') || 'body';
}
