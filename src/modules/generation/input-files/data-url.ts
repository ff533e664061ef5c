import { FILE_LIMIT_BYTES, type FileReference, type FoundContent } from './file-reference';
import { FileTooLargeError, FileUnreadableError } from './input-file.errors';

/** The part before the comma is short: a media type and its parameters. */
const LONGEST_HEAD = 256;

const BASE64 = /;\s*base64$/i;

/** Whether a URL names its content itself. */
export function isDataUrl(url: string): boolean {
  return url.slice(0, 'data:'.length).toLowerCase() === 'data:';
}

/**
 * The content of a data URL (RFC 2397) in base64, or of bare base64.
 *
 * @throws FileUnreadableError, FileTooLargeError
 */
export function readDataUrl({ field, url }: FileReference): FoundContent {
  if (!isDataUrl(url)) {
    return { bytes: decode(field, url, 0), declaredType: null, name: null };
  }
  const comma = url.slice(0, LONGEST_HEAD).indexOf(',');
  const head = url.slice('data:'.length, Math.max(comma, 0));
  if (!BASE64.test(head)) {
    throw new FileUnreadableError(field, 'malformed');
  }
  return { bytes: decode(field, url, comma + 1), declaredType: head.replace(BASE64, '') || null, name: null };
}

/** The size is known before anything is decoded, and the text is not copied: a slice of a long string is a view of it. */
function decode(field: string, url: string, start: number): Buffer {
  const padding = url.endsWith('==') ? 2 : url.endsWith('=') ? 1 : 0;
  const length = Math.floor(((url.length - start - padding) * 3) / 4);
  if (length > FILE_LIMIT_BYTES) {
    throw new FileTooLargeError(field, FILE_LIMIT_BYTES);
  }
  const bytes = Buffer.from(url.slice(start), 'base64');
  // The decoder leaves out what is no digit, and ends at the first `=`.
  if (bytes.length !== length) {
    throw new FileUnreadableError(field, 'malformed');
  }
  return bytes;
}
