import { isUtf8 } from 'node:buffer';
import { json, NextFunction, Request, RequestHandler, Response } from 'express';
import { InvalidJsonError, UnsupportedMediaTypeError } from '../errors/common.errors';
import { ValidationFailedError } from '../errors/validation.errors';
import { findMalformed } from '../validation/well-formed';

/**
 * Reads JSON bodies. A fault is noted on the request instead of raised, because requests with a broken body must still
 * be counted by the rate limit, and refused for their token first; `BodyGuard` raises it.
 *
 * @param limitBytes largest body after decompression
 */
export function jsonBody(limitBytes: number): RequestHandler {
  const parse = json({
    limit: limitBytes,
    strict: false,
    type: 'application/json',
    verify: (_request, _response, bytes) => {
      if (!isUtf8(bytes)) {
        // A plain error, because the parser writes its own status onto what is thrown here.
        throw new Error('The body is not UTF-8.');
      }
    },
  });
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!hasBody(request)) {
      next();
      return;
    }
    if (!request.is('application/json')) {
      request.bodyFault = new UnsupportedMediaTypeError();
      next();
      return;
    }
    parse(request, response, (error?: unknown) => {
      if (error !== undefined) {
        request.bodyFault = toBodyFault(error);
        request.body = undefined;
      } else {
        const malformed = findMalformed(request.body);
        request.bodyFault = malformed ? new ValidationFailedError([malformed]) : undefined;
      }
      next();
    });
  };
}

function toBodyFault(error: unknown): Error {
  const { type, status } = error as { type?: unknown; status?: unknown };
  const isNotUtf8 = type === 'entity.verify.failed';
  // The parser names its own faults; what the decompressor says about the bytes comes with a status alone.
  const isBadlyCompressed = type === undefined && status === 400;
  return isNotUtf8 || isBadlyCompressed || !(error instanceof Error)
    ? new InvalidJsonError({}, { cause: error })
    : error;
}

function hasBody(request: Request): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}
