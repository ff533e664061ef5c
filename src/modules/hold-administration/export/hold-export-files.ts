import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { ZipFile } from 'yazl';
import { loadPackage } from '../../../common/load-package';
import type { BlobStore } from '../../../integrations/blob-store/blob-store';
import { type ExportRow, ROW_TYPES, type RowsOfHold, type RowType } from './hold-rows';

/** The names of the archive's files with rows. */
const PATHS: Record<RowType, string> = {
  user: 'users',
  chat: 'chats',
  message: 'messages',
  tool_call: 'tool_calls',
  action: 'actions',
  feedback: 'feedback',
  file: 'files',
  audit: 'audit',
};

export type RowCounts = Record<string, number>;

/** The rows as one file of JSON Lines. The last line has the hash of all bytes before it. */
export async function* jsonLinesOf(rows: RowsOfHold, counts: RowCounts): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for (const type of ROW_TYPES) {
    for await (const row of rows.of(type)) {
      counts[type] = (counts[type] ?? 0) + 1;
      const line = lineOf({ type, ...row });
      hash.update(line);
      yield line;
    }
  }
  yield lineOf({ type: 'end', counts, sha256: hash.digest('hex') });
}

/**
 * The rows and the files as a ZIP archive. It is written while it is read. The manifest is last, because it has the
 * hashes of the other files.
 */
export async function* archiveOf(
  rows: RowsOfHold,
  blobs: BlobStore,
  counts: RowCounts,
  manifest: object,
): AsyncGenerator<Buffer> {
  const zip = new (loadPackage('yazl') as { ZipFile: new () => ZipFile }).ZipFile();
  const output = zip.outputStream as Readable;
  const adding = addFiles(zip, { rows, blobs, counts, manifest }).catch((error: unknown) =>
    output.destroy(error as Error),
  );
  try {
    yield* output as AsyncIterable<Buffer>;
  } finally {
    output.destroy();
  }
  await adding;
}

interface Contents {
  rows: RowsOfHold;
  blobs: BlobStore;
  counts: RowCounts;
  manifest: object;
}

/** Adds one file after the other, so that only one is open. */
async function addFiles(zip: ZipFile, { rows, blobs, counts, manifest }: Contents): Promise<void> {
  const files: { path: string; bytes: number; sha256: string }[] = [];
  const hashes = new Set<string>();
  const output = zip.outputStream as Readable;
  let open: Readable | undefined;
  output.once('close', () => open?.destroy());
  const add = async (path: string, content: AsyncIterable<Buffer>): Promise<void> => {
    const hash = createHash('sha256');
    let bytes = 0;
    const measured = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of content) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    };
    const stream = Readable.from(measured(), { objectMode: false });
    open = stream;
    // The archive does not end if a file fails.
    stream.once('error', (error) => output.destroy(error));
    zip.addReadStream(stream, path);
    await once(stream, 'close');
    files.push({ path, bytes, sha256: hash.digest('hex') });
  };
  for (const type of ROW_TYPES) {
    await add(`${PATHS[type]}.jsonl`, linesOf(rows, type, counts, hashes));
    if (output.destroyed) {
      return;
    }
  }
  for (const hash of hashes) {
    const content = await blobs.stream(hash);
    if (output.destroyed) {
      // It is not read any more, so it would stay open.
      content?.destroy();
      return;
    }
    if (content !== null) {
      await add(`files/${hash}`, content as AsyncIterable<Buffer>);
    }
  }
  zip.addBuffer(Buffer.from(`${JSON.stringify({ ...manifest, counts, files }, null, 2)}\n`), 'manifest.json');
  zip.end();
}

async function* linesOf(
  rows: RowsOfHold,
  type: RowType,
  counts: RowCounts,
  hashes: Set<string>,
): AsyncGenerator<Buffer> {
  counts[type] = 0;
  for await (const row of rows.of(type)) {
    counts[type]++;
    if (type === 'file') {
      hashes.add(String(row.hash));
    }
    yield lineOf(row);
  }
}

function lineOf(row: ExportRow): Buffer {
  return Buffer.from(`${JSON.stringify(row)}\n`);
}
