import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import { imageType } from '../../../common/http/image-type';
import { UserTurns } from '../../../common/load/user-turns';
import { INVISIBLE } from '../../../common/text/invisible';
import { countPdfPages } from '../../../integrations/llm/counting/pdf-pages';
import type { BinaryPart, ImageDetail } from '../../../integrations/llm/port/message-parts';
import { toStorableText } from '../../../integrations/llm/port/storable-text';
import { OutboundHttpClient } from '../../../integrations/outbound-http/outbound-http-client';
import {
  FileTooLargeError,
  FileTypeNotSupportedError,
  FileUnreadableError,
  FileUrlForbiddenError,
  TooManyFilesError,
} from './input-file.errors';

/** An image or a file in a request. */
export interface FileReference {
  /** The path of the parameter, such as `messages[0].content[1].image_url.url`. */
  field: string;
  type: 'image' | 'file';
  /** A data URL in base64, or an http(s) URL. For a file also bare base64 (`file_data`). */
  url: string;
  /** The name that the client sent. */
  name: string | null;
  detail: ImageDetail | null;
  /** Loads the content of a file that is already stored. Absent: the URL contains the content or refers to it. */
  load?: () => Promise<FoundContent>;
  /** How models get a file that they do not accept. Absent: such a file is refused. */
  asText?: TextOfFile;
  /** Whether the result may have any format: then the media type is `UNKNOWN_FORMAT`. Absent: it is refused. */
  isAnyFormat?: true;
}

/** The media type of a file that no model accepts. */
export const UNKNOWN_FORMAT = 'application/octet-stream';

/** Sends the text of a file instead of the file. */
export interface TextOfFile {
  /** Whether the models of the request accept no files at all. */
  always: boolean;
  /** Reads the text of a document. */
  read: (bytes: Buffer, name: string | null) => Promise<string>;
}

/** The content of a reference. */
export interface FoundContent {
  bytes: Buffer;
  /** The media type that the source declares, with parameters. It may be wrong. */
  declaredType: string | null;
  /** A name that the source suggests. */
  name: string | null;
  /** Whether this is already the text of a file. Absent: it is the file. */
  isText?: boolean;
}

/** Maximum size of an image or file. */
export const FILE_LIMIT_BYTES = 10 * 1_048_576;

/** Limits of concurrent and waiting downloads for all users. Each download may take 10 MiB of memory. */
const OF_ALL = { running: 8, waiting: 100 };

/** The same limits for one user. */
const OF_EACH = { running: 2, waiting: 10 };

/** Time limit of one download. */
const TIME_LIMIT_MILLISECONDS = 10_000;

const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'chat-service-files/1' };

/** Downloads images and files by http(s), through the guard for all requests to URLs that users chose. */
@Injectable()
export class RemoteFiles {
  /** Not configurable, but set by tests. */
  timeLimitMilliseconds = TIME_LIMIT_MILLISECONDS;
  private readonly turns = new UserTurns(OF_ALL, OF_EACH);

  constructor(private readonly client: OutboundHttpClient) {}

  /**
   * @param userId the user whose request names the file
   * @param signal aborts the download
   * @throws FileUrlForbiddenError, FileUnreadableError, FileTooLargeError, and RateLimitExceededError or
   *   ServiceUnavailableError when too many downloads wait
   */
  async fetch(userId: number, { field, url }: FileReference, signal: AbortSignal): Promise<FoundContent> {
    if (!/^https?:/i.test(url) || !URL.canParse(url)) {
      throw new FileUnreadableError(field, 'malformed');
    }
    const request = { url: new URL(url), headers: HEADERS, limitBytes: FILE_LIMIT_BYTES };
    const timeoutMilliseconds = this.timeLimitMilliseconds;
    const result = await this.turns.run(userId, () =>
      this.client.download({ ...request, timeoutMilliseconds, signal }),
    );
    if ('failure' in result) {
      switch (result.failure) {
        case 'forbidden_target':
          throw new FileUrlForbiddenError(field);
        case 'too_large':
          throw new FileTooLargeError(field, FILE_LIMIT_BYTES);
        default:
          throw new FileUnreadableError(field, result.failure);
      }
    }
    const { status, body, contentType } = result.download;
    if (status !== 200) {
      throw new FileUnreadableError(field, 'status', status);
    }
    return { bytes: body, declaredType: contentType, name: lastSegment(result.url) };
  }
}

function lastSegment({ pathname }: URL): string | null {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment) || null;
  } catch {
    // A percent sign that encodes nothing.
    return segment;
  }
}

/** Limits for the images and files of one request together. */
export const FILE_LIMITS = { limit: 20, limit_bytes: 20 * 1_048_576 };

/** Concurrent downloads of one request: as many as one user may have (see `RemoteFiles`). */
const AT_ONCE = 2;

/** Converts the images and files of a request into parts of messages. */
@Injectable()
export class InputFiles {
  constructor(private readonly remote: RemoteFiles) {}

  /**
   * @param userId the user who sends the request
   * @param references all references of one request, to which the limits apply together
   * @param signal aborts the downloads when the client disconnects
   * @param limited which files the limits of one request count. Each file has its own limit in any case
   * @returns the parts, in the same order
   * @throws one of FILE_ERRORS for the first fault, and RateLimitExceededError or ServiceUnavailableError when too many
   *   downloads wait
   */
  async read(
    userId: number,
    references: readonly FileReference[],
    signal: AbortSignal,
    limited: 'all' | 'fetched' = 'all',
  ): Promise<BinaryPart[]> {
    const isLimited = (reference: FileReference): boolean => limited === 'all' || !isInline(reference);
    const excess = references.filter(isLimited)[FILE_LIMITS.limit];
    if (excess) {
      throw new TooManyFilesError(excess.field, FILE_LIMITS);
    }
    const parts = new Map<FileReference, BinaryPart>();
    let total = 0;
    const take = async (reference: FileReference, found: FoundContent): Promise<void> => {
      total += isLimited(reference) ? found.bytes.length : 0;
      if (total > FILE_LIMITS.limit_bytes) {
        throw new TooManyFilesError(reference.field, FILE_LIMITS);
      }
      parts.set(reference, await toBinaryPart(reference, found));
    };
    // Inline content is checked first, so that a faulty request causes no downloads.
    for (const reference of references.filter(isInline)) {
      await take(reference, readDataUrl(reference));
    }
    for (const reference of references) {
      if (reference.load) {
        await take(reference, await reference.load());
      }
    }
    await this.fetchAll(
      userId,
      references.filter((reference) => !reference.load && !isInline(reference)),
      signal,
      take,
    );
    return references.map((reference) => parts.get(reference) as BinaryPart);
  }

  /** Downloads each URL once, even if it occurs several times. Stops after a fault. */
  private async fetchAll(
    userId: number,
    references: readonly FileReference[],
    signal: AbortSignal,
    take: (reference: FileReference, found: FoundContent) => Promise<void>,
  ): Promise<void> {
    const abort = new AbortController();
    const either = AbortSignal.any([signal, abort.signal]);
    const byUrl = new Map<string, FileReference[]>();
    references.forEach((reference) => byUrl.set(reference.url, [...(byUrl.get(reference.url) ?? []), reference]));
    const waiting = [...byUrl.values()];
    const work = async (): Promise<void> => {
      for (let same = waiting.shift(); same !== undefined; same = waiting.shift()) {
        const found = await this.remote.fetch(userId, same[0] as FileReference, either);
        for (const reference of same) {
          await take(reference, found);
        }
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    } finally {
      abort.abort();
      waiting.length = 0;
    }
  }
}

function isInline({ type, url, load }: FileReference): boolean {
  return load === undefined && (isDataUrl(url) || (type === 'file' && !/^[a-z][a-z0-9+.-]*:/i.test(url)));
}

/** The part before the comma is short: a media type and its parameters. */
const LONGEST_HEAD = 256;

const BASE64 = /;\s*base64$/i;

function isDataUrl(url: string): boolean {
  return url.slice(0, 'data:'.length).toLowerCase() === 'data:';
}

/**
 * The content of a data URL (RFC 2397) in base64, or of bare base64.
 *
 * @throws FileUnreadableError, FileTooLargeError
 */
function readDataUrl({ field, url }: FileReference): FoundContent {
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

/**
 * Checks the size before decoding. A text without white space is not copied, because a slice of a long string is a view
 * of it.
 */
function decode(field: string, url: string, start: number): Buffer {
  const written = url.slice(start);
  const base64 = /\s/.test(written) ? written.replace(/\s+/g, '') : written;
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  const length = Math.floor(((base64.length - padding) * 3) / 4);
  if (length > FILE_LIMIT_BYTES) {
    throw new FileTooLargeError(field, FILE_LIMIT_BYTES);
  }
  const bytes = Buffer.from(base64, 'base64');
  // The decoder skips characters that are not base64, and stops at the first `=`.
  if (bytes.length !== length) {
    throw new FileUnreadableError(field, 'malformed');
  }
  return bytes;
}

/** Media types of text in addition to `text/…`. */
const TEXT_TYPE =
  /^(text\/[a-z0-9.+-]+|application\/([a-z0-9.-]+\+)?(json|xml|yaml|x-yaml|toml|javascript|x-javascript|typescript|sql|csv|x-ndjson|x-sh))$/;

/** Values of senders that do not know the type. */
const UNKNOWN_TYPE = /^(application\/(octet-stream|x-binary)|binary\/octet-stream|)$/;

const PDF_TYPE = 'application/pdf';

/** The type of a file of which models get the text. */
const TEXT_PART_TYPE = 'text/plain';

const PDF_SIGNATURE = Buffer.from('%PDF-');

const LONGEST_NAME = 255;

/**
 * The message part of a reference. The type detected from the content overrides the declared type.
 *
 * @throws FileTypeNotSupportedError, FileUnreadableError when it is empty
 */
async function toBinaryPart(
  reference: FileReference,
  { bytes, declaredType, name, isText: isRead = false }: FoundContent,
): Promise<BinaryPart> {
  const { field, type, detail, asText } = reference;
  if (bytes.length === 0) {
    throw new FileUnreadableError(field, 'empty');
  }
  const declared = (declaredType ?? '').replace(/;.*$/s, '').trim().toLowerCase();
  const mediaType = type === 'image' ? imageType(bytes) : fileType(bytes, declared);
  const common = { type, name: storableName(reference.name ?? name), detail };
  if (type === 'file' && asText !== undefined && (mediaType === null || asText.always || isRead)) {
    const isText = mediaType !== null && mediaType !== PDF_TYPE;
    const data = isText ? bytes : Buffer.from(await asText.read(bytes, common.name));
    return { ...common, media_type: TEXT_PART_TYPE, data, as_text: true };
  }
  if (type === 'file' && reference.isAnyFormat && isRead) {
    return { ...common, media_type: TEXT_PART_TYPE, data: bytes, as_text: true };
  }
  if (mediaType === null && type === 'file' && reference.isAnyFormat) {
    return { ...common, media_type: UNKNOWN_FORMAT, data: bytes };
  }
  if (mediaType === null) {
    throw new FileTypeNotSupportedError(field);
  }
  const part: BinaryPart = { ...common, media_type: mediaType, data: bytes };
  const pages = mediaType === PDF_TYPE ? await countPdfPages(bytes) : null;
  return pages === null ? part : { ...part, pages };
}

function fileType(bytes: Buffer, declared: string): string | null {
  if (bytes.subarray(0, 5).equals(PDF_SIGNATURE)) {
    return PDF_TYPE;
  }
  const isText = isUtf8(bytes) && !bytes.includes(0);
  if (!isText || declared === PDF_TYPE) {
    return null;
  }
  return TEXT_TYPE.test(declared) ? declared : UNKNOWN_TYPE.test(declared) ? 'text/plain' : null;
}

/**
 * The name without folders and without control, invisible and bidirectional characters, truncated to the maximum
 * length.
 */
function storableName(name: string | null): string | null {
  const base = toStorableText(name ?? '')
    .replace(/^.*[/\\]/s, '')
    .replace(/\p{Cc}/gu, '')
    .replace(INVISIBLE, '')
    .trim();
  return [...base.slice(0, 2 * LONGEST_NAME)].slice(0, LONGEST_NAME).join('') || null;
}
