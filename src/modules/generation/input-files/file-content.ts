import { isUtf8 } from 'node:buffer';
import { imageType } from '../../../common/http/image-type';
import type { BinaryPart } from '../../../integrations/llm/port/message-parts';
import { toStorableText } from '../../../integrations/llm/port/storable-text';
import type { FileReference, FoundContent } from './file-reference';
import { FileTypeNotSupportedError, FileUnreadableError } from './input-file.errors';

/** Types of text, beside `text/…`. */
const TEXT_TYPE =
  /^(text\/[a-z0-9.+-]+|application\/([a-z0-9.-]+\+)?(json|xml|yaml|x-yaml|toml|javascript|x-javascript|typescript|sql|csv|x-ndjson|x-sh))$/;

/** What senders write that do not know the type. */
const UNKNOWN_TYPE = /^(application\/(octet-stream|x-binary)|binary\/octet-stream|)$/;

const PDF_SIGNATURE = Buffer.from('%PDF-');

const LONGEST_NAME = 255;

/**
 * The part of a message that a reference stands for. What the content itself says of its type counts more than what the
 * sender says.
 *
 * @throws FileTypeNotSupportedError, FileUnreadableError when it is empty
 */
export function toBinaryPart(reference: FileReference, { bytes, declaredType, name }: FoundContent): BinaryPart {
  const { field, type, detail } = reference;
  if (bytes.length === 0) {
    throw new FileUnreadableError(field, 'empty');
  }
  const declared = (declaredType ?? '').replace(/;.*$/s, '').trim().toLowerCase();
  const mediaType = type === 'image' ? imageType(bytes) : fileType(bytes, declared);
  if (mediaType === null) {
    throw new FileTypeNotSupportedError(field);
  }
  return { type, media_type: mediaType, name: storableName(reference.name ?? name), data: bytes, detail };
}

function fileType(bytes: Buffer, declared: string): string | null {
  if (bytes.subarray(0, 5).equals(PDF_SIGNATURE)) {
    return 'application/pdf';
  }
  const isText = isUtf8(bytes) && !bytes.includes(0);
  if (!isText || declared === 'application/pdf') {
    return null;
  }
  return TEXT_TYPE.test(declared) ? declared : UNKNOWN_TYPE.test(declared) ? 'text/plain' : null;
}

/** Without folders and control characters, and not too long. */
function storableName(name: string | null): string | null {
  const base = toStorableText(name ?? '')
    .replace(/^.*[/\\]/s, '')
    .replace(/\p{Cc}/gu, '')
    .trim();
  return [...base.slice(0, 2 * LONGEST_NAME)].slice(0, LONGEST_NAME).join('') || null;
}
