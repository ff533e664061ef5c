import { inflateSync } from 'node:zlib';

/** Most bytes to which the object streams of one file may decompress. Dictionaries are small; more is an attack. */
const MOST_UNPACKED = 32 * 1_048_576;

/** Most places that may be pages. No provider accepts a file with so many. */
const MOST_PLACES = 50_000;

/** Bytes of a dictionary that are read in each direction, so that the work grows only with the size of the file. */
const MOST_DICTIONARY = 2_048;

const CARRIAGE_RETURN = 0x0d;

const PAGE = /\/Type\s*\/Page(?![A-Za-z0-9#])/;
const TYPE_BEFORE = /\/Type\s*$/;
const HEAD = /(\d{1,10})\s+\d{1,5}\s+$/;

/**
 * Counts the pages of a PDF by its page objects. The page tree also states a number, but it cannot be trusted. Pages
 * that a later revision of the file has removed count too, so the result may be too high.
 *
 * @returns null if the file has no readable page, for example because it is encrypted or damaged
 */
export function countPdfPages(bytes: Uint8Array): number | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // By object number, because a later revision repeats the pages that it changes.
  const pages = new Set<number>();
  let places = 0;
  for (let at = file.indexOf('/Page'); at !== -1; at = file.indexOf('/Page', at + 5)) {
    if (++places > MOST_PLACES) {
      return null;
    }
    if (PAGE.test(`/Type${textOf(file, at, at + 6)}`) && TYPE_BEFORE.test(textOf(file, at - 16, at))) {
      pages.add(objectNumber(file, at) ?? -at);
    }
  }
  let left = MOST_UNPACKED;
  for (let at = file.indexOf('/ObjStm'); at !== -1;) {
    const stream = unpack(file, at, left);
    if (stream === null) {
      return null;
    }
    const packed = pagesOf(stream);
    if (packed === null) {
      return null;
    }
    left -= stream.data.length;
    packed.forEach((number) => pages.add(number));
    at = file.indexOf('/ObjStm', stream.end);
  }
  return pages.size > 0 ? pages.size : null;
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
function objectNumber(file: Buffer, at: number): number | null {
  const before = textOf(file, at - MOST_DICTIONARY, at);
  const end = before.lastIndexOf('obj');
  const match = end === -1 ? null : HEAD.exec(before.slice(Math.max(0, end - 20), end));
  return match === null ? null : Number(match[1]);
}

function unpack(file: Buffer, at: number, left: number): ObjectStream | null {
  const before = textOf(file, at - MOST_DICTIONARY, at);
  const after = textOf(file, at, at + MOST_DICTIONARY);
  const head = after.indexOf('stream');
  const end = head === -1 ? -1 : file.indexOf('endstream', at + head);
  if (end === -1) {
    return null;
  }
  const dictionary = before.slice(before.lastIndexOf('obj')) + after.slice(0, head);
  const [count, first] = ['N', 'First'].map((name) => new RegExp(`/${name}\\s+(\\d+)`).exec(dictionary)?.[1]);
  const start = at + head + 'stream'.length;
  const data = file.subarray(start + (file[start] === CARRIAGE_RETURN ? 2 : 1), end);
  try {
    const unpacked = dictionary.includes('/FlateDecode') ? inflateSync(data, { maxOutputLength: left }) : data;
    return count === undefined || first === undefined
      ? null
      : { data: unpacked.toString('latin1'), count: Number(count), first: Number(first), end };
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

function textOf(file: Buffer, start: number, end: number): string {
  return file.toString('latin1', Math.max(start, 0), end);
}
