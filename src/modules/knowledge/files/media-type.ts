import { extname } from 'node:path';
import { imageType } from '../../../common/http/image-type';

/** Bytes from the start of a file that decide about its type. */
export const SAMPLE_BYTES = 65_536;

const BINARY = 'application/octet-stream';

/** Formats in a ZIP archive, by a name or content that is near its start. */
const ARCHIVED: [sign: string, mediaType: string][] = [
  ['word/', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['ppt/', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['xl/', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['mimetypeapplication/epub+zip', 'application/epub+zip'],
  ['mimetypeapplication/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
  ['mimetypeapplication/vnd.oasis.opendocument.presentation', 'application/vnd.oasis.opendocument.presentation'],
  ['mimetypeapplication/vnd.oasis.opendocument.spreadsheet', 'application/vnd.oasis.opendocument.spreadsheet'],
];

/** Media types that are never read as text. */
const UNREADABLE = /^image\/|^application\/(octet-stream|zip)$/;

/** Whether the text of files of this type can be read. */
export function isReadable(mediaType: string): boolean {
  return !UNREADABLE.test(mediaType);
}

/** Kinds of text, by the ending of the name. */
const TEXTS: Record<string, string> = {
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
};

/**
 * The media type of a file by its content. The name only chooses between kinds of text.
 *
 * @param sample the first `SAMPLE_BYTES` of the file
 */
export function mediaTypeOf(sample: Buffer, filename: string): string {
  const image = imageType(sample);
  if (image !== null) {
    return image;
  }
  if (sample.subarray(0, 1_024).includes('%PDF-')) {
    return 'application/pdf';
  }
  if (sample.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) {
    return ARCHIVED.find(([sign]) => sample.includes(sign))?.[1] ?? 'application/zip';
  }
  return isText(sample) ? (TEXTS[extname(filename).toLowerCase()] ?? 'text/plain') : BINARY;
}

/** UTF-8, or UTF-16 with its mark. A sample may end within a character. */
function isText(sample: Buffer): boolean {
  const mark = sample.length < 2 ? 0 : sample.readUInt16BE(0);
  const label = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(label, { fatal: true }).decode(sample, { stream: true });
    // oxlint-disable-next-line no-control-regex
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
}
