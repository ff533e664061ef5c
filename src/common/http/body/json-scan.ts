import type { FieldFault } from '../../errors/validation.errors';
import { type FileCut, TextScan } from './text-scan';

/** Deepest nesting of a body; only attackers need more. */
const DEEPEST = 32;

/**
 * Most members of an object. Many members take long to parse, and class-transformer compares each name with all others.
 */
export const MOST_MEMBERS = 1_000;

/** Longest text in characters. With what JSON adds, it fits into one statement of MariaDB. */
export const LONGEST_TEXT = 1_000_000;

/** As much of a name is told in a fault. */
const LONGEST_NAME = 256;

/** Members that may have the content of a file: a data URL, or base64 alone. */
const FILE_MEMBERS = new Map<string, 'dataUrl' | 'base64'>([
  ['url', 'dataUrl'],
  ['image_url', 'dataUrl'],
  ['file_url', 'dataUrl'],
  ['file_data', 'base64'],
]);

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** What a body may have. */
export interface JsonLimits {
  /** Most values, including those in lists and objects. To copy and check a value takes about a microsecond. */
  mostValues: number;
  /** Most members of an object; absent: `MOST_MEMBERS`. */
  mostMembers?: number;
  /** Whether there may be contents of files. Otherwise they are words like all others. */
  takesFiles: boolean;
}

/** An object or list that contains the current position of the scan. */
interface Level {
  isObject: boolean;
  /** Members or items so far, including the current one. */
  size: number;
  /** How the name of the current member is written. */
  name: string;
}

/**
 * Looks at JSON while it arrives, and finds too much nesting, too many members or values, and texts that are too long. So
 * nothing of such a body is parsed, and the rest is never read. The scan costs a fraction of the parsing. It does not check
 * whether the text is valid JSON. Contents of files may be longer than other texts (see `TextScan`).
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

  /** @returns the first fault; null when there is none so far */
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
    if (this.text.length <= LONGEST_TEXT) {
      return null;
    }
    const field = pathOf(this.isName ? this.levels.slice(0, -1) : this.levels);
    return { field, reason: 'too_long', values: { maximum: LONGEST_TEXT } };
  }
}

function tooMany(field: string, maximum: number): FieldFault {
  return { field, reason: 'too_many_items', values: { maximum } };
}

/** The path of a value, made of the names or indexes of the levels around it. */
function pathOf(levels: Level[]): string {
  return levels.map(({ isObject, size, name }) => (isObject ? name : size - 1)).join('.') || 'body';
}
