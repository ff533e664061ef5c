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

/** An image or a file as a request names it. */
export interface FileReference {
  /** The parameter, as `messages[0].content[1].image_url.url`. */
  field: string;
  type: 'image' | 'file';
  /** A data URL in base64, or an http(s) URL. Of a file also bare base64 (`file_data`). */
  url: string;
  /** The name that the client gave it. */
  name: string | null;
  detail: ImageDetail | null;
  /** Gets the content of a file that is here already; absent: the URL has it, or leads to it. */
  load?: () => Promise<FoundContent>;
}

/** What a reference leads to. */
export interface FoundContent {
  bytes: Buffer;
  /** The media type that the source names, with its parameters; it may be wrong. */
  declaredType: string | null;
  /** A name that the source suggests. */
  name: string | null;
}

/** The largest image or file. */
const FILE_LIMIT_BYTES = 10 * 1_048_576;

/** Files that are fetched at once, and those that wait, of all users. Each may take 10 MiB of memory. */
const OF_ALL = { running: 8, waiting: 100 };

/** Of one user. */
const OF_EACH = { running: 2, waiting: 10 };

/** How long one file may take. */
const TIME_LIMIT_MILLISECONDS = 10_000;

const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'chat-service-files/1' };

/** Fetches images and files by http(s), through the guard of all requests to addresses that users chose. */
@Injectable()
export class RemoteFiles {
  /** Not configuration: tests set it. */
  timeLimitMilliseconds = TIME_LIMIT_MILLISECONDS;
  private readonly turns = new UserTurns(OF_ALL, OF_EACH);

  constructor(private readonly client: OutboundHttpClient) {}

  /**
   * @param userId whose request names it
   * @param signal ends it early
   * @throws FileUrlForbiddenError, FileUnreadableError, FileTooLargeError, RateLimitExceededError and
   *   ServiceUnavailableError when too many wait
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

/** For the images and files of one request together. */
export const FILE_LIMITS = { limit: 20, limit_bytes: 20 * 1_048_576 };

/** Files of one request that are fetched at once: as many as a user may fetch (see `RemoteFiles`). */
const AT_ONCE = 2;

/** Turns the images and files that a request names into parts of messages. */
@Injectable()
export class InputFiles {
  constructor(private readonly remote: RemoteFiles) {}

  /**
   * @param userId whose request it is
   * @param references all of one request: the limits are for them together
   * @param signal ends the fetching early, because the client is gone
   * @returns their parts, in the same order
   * @throws one of FILE_ERRORS, for the first fault that is found; RateLimitExceededError and ServiceUnavailableError when
   *   too many files wait
   */
  async read(userId: number, references: readonly FileReference[], signal: AbortSignal): Promise<BinaryPart[]> {
    const excess = references[FILE_LIMITS.limit];
    if (excess) {
      throw new TooManyFilesError(excess.field, FILE_LIMITS);
    }
    const parts = new Map<FileReference, BinaryPart>();
    let total = 0;
    const take = (reference: FileReference, found: FoundContent): void => {
      total += found.bytes.length;
      if (total > FILE_LIMITS.limit_bytes) {
        throw new TooManyFilesError(reference.field, FILE_LIMITS);
      }
      parts.set(reference, toBinaryPart(reference, found));
    };
    // Nothing is fetched for a request that is refused for what it holds itself.
    for (const reference of references.filter(isInline)) {
      take(reference, readDataUrl(reference));
    }
    for (const reference of references) {
      if (reference.load) {
        take(reference, await reference.load());
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

  /** A URL that stands there several times is fetched once. After a fault nothing more is fetched. */
  private async fetchAll(
    userId: number,
    references: readonly FileReference[],
    signal: AbortSignal,
    take: (reference: FileReference, found: FoundContent) => void,
  ): Promise<void> {
    const abort = new AbortController();
    const either = AbortSignal.any([signal, abort.signal]);
    const byUrl = new Map<string, FileReference[]>();
    references.forEach((reference) => byUrl.set(reference.url, [...(byUrl.get(reference.url) ?? []), reference]));
    const waiting = [...byUrl.values()];
    const work = async (): Promise<void> => {
      for (let same = waiting.shift(); same !== undefined; same = waiting.shift()) {
        const found = await this.remote.fetch(userId, same[0] as FileReference, either);
        same.forEach((reference) => take(reference, found));
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

/** Whether a URL names its content itself. */
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
 * The size is known before anything is decoded, and a text without white space is not copied: a slice of a long string is a
 * view of it.
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
  // The decoder leaves out what is no digit, and ends at the first `=`.
  if (bytes.length !== length) {
    throw new FileUnreadableError(field, 'malformed');
  }
  return bytes;
}

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
function toBinaryPart(reference: FileReference, { bytes, declaredType, name }: FoundContent): BinaryPart {
  const { field, type, detail } = reference;
  if (bytes.length === 0) {
    throw new FileUnreadableError(field, 'empty');
  }
  const declared = (declaredType ?? '').replace(/;.*$/s, '').trim().toLowerCase();
  const mediaType = type === 'image' ? imageType(bytes) : fileType(bytes, declared);
  if (mediaType === null) {
    throw new FileTypeNotSupportedError(field);
  }
  const part: BinaryPart = {
    type,
    media_type: mediaType,
    name: storableName(reference.name ?? name),
    data: bytes,
    detail,
  };
  const pages = mediaType === 'application/pdf' ? countPdfPages(bytes) : null;
  return pages === null ? part : { ...part, pages };
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

/** Without folders, control characters and invisible and bidirectional characters, and not too long. */
function storableName(name: string | null): string | null {
  const base = toStorableText(name ?? '')
    .replace(/^.*[/\\]/s, '')
    .replace(/\p{Cc}/gu, '')
    .replace(INVISIBLE, '')
    .trim();
  return [...base.slice(0, 2 * LONGEST_NAME)].slice(0, LONGEST_NAME).join('') || null;
}
