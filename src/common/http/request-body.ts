import { parse as parseQuery } from 'node:querystring';
import { parse } from 'content-type';
import type { Request, Response } from 'express';
import getRawBody from 'raw-body';
import { InvalidJsonError, PayloadTooLargeError, UnsupportedMediaTypeError } from '../errors/common.errors';
import { ValidationFailedError } from '../errors/validation.errors';
import { findExcess } from '../validation/json-excess';
import { findMalformed } from '../validation/well-formed';
import { type BodyRules, FILES_BODY } from './body-rules.decorator';

/** The media type of forms, which only routes with `@TakesForms` read. */
export const FORM = 'application/x-www-form-urlencoded';

/** Drops a byte order mark at the beginning, as RFC 8259 §8.1 allows. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads and parses the body of a request; undefined when there is none. It checks the headers before it reads a byte,
 * and refuses bodies that would take long to parse before it parses them. It refuses compressed bodies, because a few
 * compressed bytes can become megabytes.
 *
 * @throws UnsupportedMediaTypeError, PayloadTooLargeError, InvalidJsonError, ValidationFailedError
 */
export async function readBody(request: Request, response: Response, rules: BodyRules): Promise<unknown> {
  if (!isPlain(request.headers['content-encoding'])) {
    throw new UnsupportedMediaTypeError();
  }
  if (!hasBody(request)) {
    return undefined;
  }
  const parseBody = parserFor(request.headers['content-type'], rules);
  const bytes = await readBytes(request, response, rules.takesFiles ? FILES_BODY : rules.limit);
  if (bytes.length === 0) {
    return undefined;
  }
  if (bytes.length > rules.limit && !bytes.includes(';base64,')) {
    throw new PayloadTooLargeError();
  }
  const body = parseBody(bytes, rules.limit);
  const malformed = findMalformed(body);
  if (malformed) {
    throw new ValidationFailedError([malformed]);
  }
  return body;
}

function parserFor(header = '', { takesForms }: BodyRules): (bytes: Buffer, limit: number) => unknown {
  const { type, parameters } = parse(header);
  const parser = type === 'application/json' ? parseJson : takesForms && type === FORM ? parseForm : null;
  if (parser === null || (parameters.charset ?? 'utf-8').toLowerCase() !== 'utf-8') {
    throw new UnsupportedMediaTypeError();
  }
  return parser;
}

/** A field that comes twice is a list, which no field of ours takes: RFC 6749 §3.2 has none twice. */
function parseForm(bytes: Buffer): unknown {
  return { ...parseQuery(bytes.toString()) };
}

function parseJson(bytes: Buffer, limit: number): unknown {
  const excess = findExcess(bytes, limit);
  if (excess) {
    throw new ValidationFailedError([excess]);
  }
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new InvalidJsonError({}, { cause });
  }
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
    // Every other fault means that the connection ended before the body was complete.
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
