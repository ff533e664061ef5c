import { parse } from 'content-type';
import type { Request, Response } from 'express';
import getRawBody from 'raw-body';
import { InvalidJsonError, PayloadTooLargeError, UnsupportedMediaTypeError } from '../errors/common.errors';
import { ValidationFailedError } from '../errors/validation.errors';
import { findExcess } from '../validation/json-excess';
import { findMalformed } from '../validation/well-formed';

/** Drops a byte order mark at the beginning, as RFC 8259 §8.1 allows. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads and parses the body of a request; undefined when there is none. What the headers tell is refused before a byte
 * is read, what takes long to parse before it is parsed. Compressed bodies are refused: a few bytes of them become
 * megabytes.
 *
 * @param limit largest body in bytes
 * @throws UnsupportedMediaTypeError, PayloadTooLargeError, InvalidJsonError, ValidationFailedError
 */
export async function readJsonBody(request: Request, response: Response, limit: number): Promise<unknown> {
  if (!isPlain(request.headers['content-encoding'])) {
    throw new UnsupportedMediaTypeError();
  }
  if (!hasBody(request)) {
    return undefined;
  }
  if (!isJson(request.headers['content-type'])) {
    throw new UnsupportedMediaTypeError();
  }
  const bytes = await readBytes(request, response, limit);
  return bytes.length === 0 ? undefined : parseJson(bytes);
}

function parseJson(bytes: Buffer): unknown {
  const excess = findExcess(bytes);
  if (excess) {
    throw new ValidationFailedError([excess]);
  }
  let body: unknown;
  try {
    body = JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new InvalidJsonError({}, { cause });
  }
  const malformed = findMalformed(body);
  if (malformed) {
    throw new ValidationFailedError([malformed]);
  }
  return body;
}

async function readBytes(request: Request, response: Response, limit: number): Promise<Buffer> {
  const length = request.headers['content-length'];
  if (Number(length ?? 0) > limit) {
    throw new PayloadTooLargeError();
  }
  if (request.headers.expect !== undefined) {
    response.writeContinue();
  }
  try {
    return await getRawBody(request, { limit, length });
  } catch (cause) {
    // The other faults of reading are those of a connection that ended before the body did.
    const isTooLarge = (cause as { type?: unknown }).type === 'entity.too.large';
    throw isTooLarge ? new PayloadTooLargeError({}, { cause }) : new InvalidJsonError({}, { cause });
  }
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isPlain(encoding = ''): boolean {
  return ['', 'identity'].includes(encoding.toLowerCase());
}

function isJson(header = ''): boolean {
  const { type, parameters } = parse(header);
  return type === 'application/json' && (parameters.charset ?? 'utf-8').toLowerCase() === 'utf-8';
}
