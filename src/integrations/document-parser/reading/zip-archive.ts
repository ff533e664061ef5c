import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { DocumentFailure } from '../document-failure';

const MEBIBYTE = 1_048_576;
const MOST_MEMBERS = 10_000;
const MOST_OF_MEMBER = 64 * MEBIBYTE;
const MOST_OF_ALL = 256 * MEBIBYTE;
const MOST_RATIO = 200;

const STORED = 0;
const DEFLATED = 8;
/** Of the local header, before the name and the extra field. */
const LOCAL_HEADER_BYTES = 30;

/**
 * The members of a ZIP file, inflated under limits before a parser sees them. Names are looked up as they are in the
 * archive, so that `..` in them has no meaning.
 */
export class ZipArchive {
  private constructor(private readonly members: ReadonlyMap<string, Uint8Array>) {}

  /**
   * Inflates the members that `isNeeded` names.
   *
   * @throws DocumentFailure `unsafe`, `encrypted` or `broken`
   */
  static async open(bytes: Buffer, isNeeded: (name: string) => boolean): Promise<ZipArchive> {
    const entries = await entriesOf(bytes);
    assertSafe(entries);
    const members = new Map<string, Uint8Array>();
    for (const entry of entries) {
      if (isNeeded(entry.fileName)) {
        members.set(entry.fileName, await inflated(bytes, entry));
      }
    }
    return new ZipArchive(members);
  }

  get names(): string[] {
    return [...this.members.keys()];
  }

  has(name: string): boolean {
    return this.members.has(name);
  }

  /** @throws DocumentFailure `broken` if it is missing */
  read(name: string): Uint8Array {
    const member = this.members.get(name);
    if (member === undefined) {
      throw new DocumentFailure('broken');
    }
    return member;
  }
}

/** The names of all members. @throws DocumentFailure */
export async function namesOfZip(bytes: Buffer): Promise<string[]> {
  return (await entriesOf(bytes)).map(({ fileName }) => fileName);
}

function entriesOf(bytes: Buffer): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(error instanceof DocumentFailure ? error : new DocumentFailure('broken', { cause: error }));
    fromBuffer(bytes, { lazyEntries: true, validateEntrySizes: true }, (error, zip?: ZipFile) => {
      if (error || zip === undefined) {
        return fail(error ?? new Error('no file'));
      }
      if (zip.entryCount > MOST_MEMBERS) {
        return fail(new DocumentFailure('unsafe'));
      }
      const entries: Entry[] = [];
      zip.on('entry', (entry: Entry) => {
        entries.push(entry);
        zip.readEntry();
      });
      zip.on('end', () => resolve(entries));
      zip.on('error', fail);
      zip.readEntry();
    });
  });
}

/** By the sizes that the archive declares. `inflated` stops at them. */
function assertSafe(entries: readonly Entry[]): void {
  let all = 0;
  for (const { compressedSize, uncompressedSize, generalPurposeBitFlag } of entries) {
    all += uncompressedSize;
    const isBomb = uncompressedSize > MEBIBYTE && uncompressedSize > compressedSize * MOST_RATIO;
    if (isBomb || uncompressedSize > MOST_OF_MEMBER || all > MOST_OF_ALL) {
      throw new DocumentFailure('unsafe');
    }
    if ((generalPurposeBitFlag & 1) !== 0) {
      throw new DocumentFailure('encrypted');
    }
  }
}

async function inflated(bytes: Buffer, entry: Entry): Promise<Uint8Array> {
  const header = entry.relativeOffsetOfLocalHeader;
  if (header + LOCAL_HEADER_BYTES > bytes.length) {
    throw new DocumentFailure('broken');
  }
  const start = header + LOCAL_HEADER_BYTES + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
  const data = bytes.subarray(start, start + entry.compressedSize);
  if (data.length < entry.compressedSize) {
    throw new DocumentFailure('broken');
  }
  if (entry.compressionMethod === STORED) {
    return data;
  }
  if (entry.compressionMethod !== DEFLATED) {
    throw new DocumentFailure('broken');
  }
  return unpacked(data, entry.uncompressedSize);
}

async function unpacked(data: Buffer, size: number): Promise<Uint8Array> {
  // One more, because a limit of 0 is refused. A member that is larger than declared is damaged or an attack.
  const options = { maxOutputLength: size + 1 };
  try {
    const unpack = promisify<Buffer, typeof options, Buffer>(inflateRaw);
    const member = await unpack(data, options);
    if (member.length === size) {
      return member;
    }
  } catch (error) {
    const isLarger = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new DocumentFailure(isLarger ? 'unsafe' : 'broken', { cause: error });
  }
  throw new DocumentFailure('broken');
}
