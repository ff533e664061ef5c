import { parse } from 'content-type';
import type { Request, Response } from 'express';
import { PayloadTooLargeError, UnsupportedMediaTypeError } from '../../errors/common.errors';
import type { BodyMemory } from './body-memory';
import { readParts } from './body-reader';
import { type BodyRules, FILES_BODY } from './body-rules.decorator';
import { FormBody } from './form-body';
import { JsonBody } from './json-body';

/** The media type of forms, which only routes with `@TakesForms` read. */
export const FORM = 'application/x-www-form-urlencoded';

/** A body while it arrives. */
interface ArrivingBody {
  /** @throws what shows already that the body will be refused */
  add(part: Buffer): void;
  parse(): unknown;
  /** After it was parsed or refused. */
  release?(): void;
}

/**
 * Reads and parses the body of a request; undefined when there is none. It checks the headers before it reads a byte,
 * and refuses bodies that would take long to parse while they arrive. It refuses compressed bodies, because a few
 * compressed bytes can become megabytes.
 *
 * @param memory counts what the body holds until the request is answered, or `request.bodyUnderWay` is ended before
 * @throws UnsupportedMediaTypeError, PayloadTooLargeError, InvalidJsonError, ValidationFailedError, InvalidParameterError when
 *   it is too slow, ServiceOverloadedError, TooManyBodiesError
 */
export async function readBody(
  request: Request,
  response: Response,
  rules: BodyRules,
  memory: BodyMemory,
): Promise<unknown> {
  if (!isPlain(request.headers['content-encoding'])) {
    throw new UnsupportedMediaTypeError();
  }
  if (!hasBody(request)) {
    return undefined;
  }
  const length = Number(request.headers['content-length'] ?? 0);
  const body = arrivingBody(request.headers['content-type'], rules);
  if (length > (rules.takesFiles ? FILES_BODY : rules.limit)) {
    throw new PayloadTooLargeError();
  }
  const held = memory.begin(request.principal?.userId ?? null);
  held.expect(length);
  request.bodyUnderWay = held;
  response.once('close', () => held.end());
  if (request.headers.expect !== undefined) {
    response.writeContinue();
  }
  let size = 0;
  try {
    await readParts(request, (part) => {
      size += part.length;
      if (size > FILES_BODY) {
        throw new PayloadTooLargeError();
      }
      held.add(part.length);
      body.add(part);
    });
    const parsed = size === 0 ? undefined : body.parse();
    if (response.destroyed) {
      // The client has gone, so nobody will be answered.
      held.end();
    }
    return parsed;
  } catch (error) {
    held.end();
    throw error;
  } finally {
    body.release?.();
  }
}

function arrivingBody(header = '', rules: BodyRules): ArrivingBody {
  const { type, parameters } = parse(header);
  const isForm = rules.takesForms && type === FORM;
  const isJson = type === 'application/json' || type === rules.otherJson;
  if ((!isForm && !isJson) || (parameters.charset ?? 'utf-8').toLowerCase() !== 'utf-8') {
    throw new UnsupportedMediaTypeError();
  }
  return isForm ? new FormBody(rules) : new JsonBody(rules);
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isPlain(encoding = ''): boolean {
  return ['', 'identity'].includes(encoding.toLowerCase());
}
