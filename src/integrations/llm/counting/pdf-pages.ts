import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

/** Most bytes to which the object streams of one file may decompress. Dictionaries are small; more is an attack. */
const MOST_UNPACKED = 32 * 1_048_576;

/** The same for one stream, which is read without a pause. */
const MOST_OF_STREAM = 4 * 1_048_576;

/** Most object streams of one file. Programs pack at least a hundred objects into each. */
const MOST_STREAMS = 5_000;

/** Most objects in one stream. Programs pack a few hundred. */
const MOST_PACKED = 5_000;

/** Most bytes of the head of a stream for one object: its number and its offset. */
const MOST_OF_HEAD = 24;

/** Most places that may be pages. No provider accepts a file with so many. */
const MOST_PLACES = 50_000;

/** Bytes of a dictionary that are read in each direction, so that the work grows only with the size of the file. */
const MOST_DICTIONARY = 2_048;

/** Bytes that are searched without a pause. */
const SEARCHED_AT_ONCE = 262_144;

/** Milliseconds of work between two pauses. */
const MOST_MILLISECONDS = 5;

const CARRIAGE_RETURN = 0x0d;

const PAGE = /\/Type\s*\/Page(?![A-Za-z0-9#])/;
const TYPE_BEFORE = /\/Type\s*$/;
const HEAD = /(\d{1,10})\s+\d{1,5}\s+$/;
const COUNT = /\/N\s+(\d+)/;
const FIRST = /\/First\s+(\d+)/;

/**
 * Counts the pages of a PDF by its page objects. The page tree also states a number, but it cannot be trusted. Pages
 * that a later revision of the file has removed count too, so the result may be too high. The event loop is never
 * blocked for long, whatever the file contains.
 *
 * @returns null if the file has no readable page, for example because it is encrypted or damaged
 */
export async function countPdfPages(bytes: Uint8Array): Promise<number | null> {
  const file = new PausingFile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  // By object number, because a later revision repeats the pages that it changes.
  const pages = new Set<number>();
  const isReadable = (await addPlainPages(file, pages)) && (await addPackedPages(file, pages));
  return isReadable && pages.size > 0 ? pages.size : null;
}

/** Lets other work run between searches. */
class PausingFile {
  private resumedAt = performance.now();

  constructor(readonly bytes: Buffer) {}

  async indexOf(text: string, start: number): Promise<number> {
    for (let from = start; from < this.bytes.length; from += SEARCHED_AT_ONCE) {
      await this.pause();
      const at = this.bytes.subarray(from, from + SEARCHED_AT_ONCE + text.length - 1).indexOf(text);
      if (at !== -1) {
        return from + at;
      }
    }
    return -1;
  }

  text(start: number, end: number): string {
    return this.bytes.toString('latin1', Math.max(start, 0), end);
  }

  private async pause(): Promise<void> {
    if (performance.now() - this.resumedAt > MOST_MILLISECONDS) {
      await nextTurn();
      this.resumedAt = performance.now();
    }
  }
}

/** @returns false if the file is not readable */
async function addPlainPages(file: PausingFile, pages: Set<number>): Promise<boolean> {
  let places = 0;
  for (let at = await file.indexOf('/Page', 0); at !== -1; at = await file.indexOf('/Page', at + 5)) {
    if (++places > MOST_PLACES) {
      return false;
    }
    if (PAGE.test(`/Type${file.text(at, at + 6)}`) && TYPE_BEFORE.test(file.text(at - 16, at))) {
      pages.add(objectNumber(file, at) ?? -at);
    }
  }
  return true;
}

/** @returns false if the file is not readable */
async function addPackedPages(file: PausingFile, pages: Set<number>): Promise<boolean> {
  let left = MOST_UNPACKED;
  let streams = 0;
  for (let at = await file.indexOf('/ObjStm', 0); at !== -1;) {
    const stream = ++streams > MOST_STREAMS ? null : await unpack(file, at, Math.min(left, MOST_OF_STREAM));
    const packed = stream && pagesOf(stream);
    if (stream === null || packed === null) {
      return false;
    }
    left -= stream.data.length;
    packed.forEach((number) => pages.add(number));
    at = await file.indexOf('/ObjStm', stream.end);
  }
  return true;
}

/** Objects that are packed together: first their numbers and offsets, then the objects. */
interface ObjectStream {
  data: string;
  count: number;
  first: number;
  /** Where it ends in the file. */
  end: number;
}

/** The number of the object at this place; null if its header is not nearby. */
function objectNumber(file: PausingFile, at: number): number | null {
  const before = file.text(at - MOST_DICTIONARY, at);
  const end = before.lastIndexOf('obj');
  const match = end === -1 ? null : HEAD.exec(before.slice(Math.max(0, end - 20), end));
  return match === null ? null : Number(match[1]);
}

/** @returns null if it is damaged, or larger than `left` bytes */
async function unpack(file: PausingFile, at: number, left: number): Promise<ObjectStream | null> {
  const before = file.text(at - MOST_DICTIONARY, at);
  const after = file.text(at, at + MOST_DICTIONARY);
  const head = after.indexOf('stream');
  const end = head === -1 ? -1 : await file.indexOf('endstream', at + head);
  const dictionary = before.slice(before.lastIndexOf('obj')) + after.slice(0, head);
  const count = Number(COUNT.exec(dictionary)?.[1]);
  const first = Number(FIRST.exec(dictionary)?.[1]);
  if (end === -1 || !(count <= MOST_PACKED && first <= count * MOST_OF_HEAD)) {
    return null;
  }
  const { bytes } = file;
  const start = at + head + 'stream'.length;
  const data = bytes.subarray(start + (bytes[start] === CARRIAGE_RETURN ? 2 : 1), end);
  const unpacked = dictionary.includes('/FlateDecode') ? await inflated(data, left) : data;
  return unpacked === null || unpacked.length > left ? null : { data: unpacked.toString('latin1'), count, first, end };
}

async function inflated(data: Buffer, maxOutputLength: number): Promise<Buffer | null> {
  try {
    return await promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)(data, { maxOutputLength });
  } catch {
    return null;
  }
}

/**
 * Numbers of the page objects in a stream. Its offsets increase (ISO 32000-1, 7.5.7). Otherwise the result is null,
 * because overlapping objects would take quadratic time.
 */
function pagesOf({ data, count, first }: ObjectStream): number[] | null {
  const heads = data.slice(0, first).trim().split(/\s+/).map(Number);
  const found: number[] = [];
  for (let index = 0; index < Math.min(count, heads.length / 2); index++) {
    const offset = heads[2 * index + 1] ?? 0;
    const next = heads[2 * index + 3] ?? data.length;
    if (!(next >= offset)) {
      return null;
    }
    const object = data.slice(first + offset, first + next);
    if (PAGE.test(object)) {
      found.push(heads[2 * index] as number);
    }
  }
  return found;
}
