import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { parse } from 'content-type';
import type { Request, Response } from 'express';
import {
  InvalidJsonError,
  MultipartExpectedError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
} from '../../errors/common.errors';
import { InvalidParameterError } from '../../errors/validation.errors';
import { LINGER } from '../server/linger';
import { BodyMemory } from './body-memory';
import {
  type BodyRules,
  bodyRulesOf,
  DiscardsBody,
  FILES_BODY,
  RewriteBody,
  SMALL_BODY,
  TakesUpload,
} from './body-rules.decorator';
import { ExactBody, FormBody, JsonBody } from './json-body';
import { isMultipart } from './multipart-body';

/** A body has no meaning in requests with these methods (RFC 9110 §9.3.1), so the service does not read it. */
const BODILESS_METHODS = new Set(['GET', 'HEAD']);

/** Whether the service checks the body of requests with this method, on every route. */
export function readsBody(method: string): boolean {
  return !BODILESS_METHODS.has(method.toUpperCase());
}

/** Reads the bodies of requests, for the guards. */
@Injectable()
export class BodyReceiver {
  constructor(
    private readonly reflector: Reflector,
    private readonly memory: BodyMemory,
  ) {}

  /**
   * Reads the body by the rules of the route, unless an earlier guard has done so.
   *
   * @throws UnsupportedMediaTypeError, PayloadTooLargeError, InvalidJsonError, ValidationFailedError
   */
  async receive(context: ExecutionContext): Promise<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (request.isBodyReceived || !readsBody(request.method)) {
      return;
    }
    const discarded = this.reflector.get(DiscardsBody, context.getHandler()) as number | undefined;
    if (discarded !== undefined) {
      await discardBody(request, discarded);
      request.isBodyReceived = true;
      return;
    }
    if (this.isUpload(context, request)) {
      request.isBodyReceived = true;
      return;
    }
    const body = await readBody(
      request,
      http.getResponse<Response>(),
      bodyRulesOf(this.reflector, context),
      this.memory,
    );
    const rewrite = this.reflector.get(RewriteBody, context.getHandler()) as ((body: unknown) => unknown) | undefined;
    request.body = rewrite ? rewrite(body) : body;
    request.isBodyReceived = true;
  }

  /** @throws MultipartExpectedError */
  private isUpload(context: ExecutionContext, { headers }: Request): boolean {
    const takesUpload = this.reflector.get(TakesUpload, context.getHandler()) as 'only' | 'also' | undefined;
    if (takesUpload === undefined) {
      return false;
    }
    const isForm = isMultipart(headers) && isPlain(headers['content-encoding']);
    if (!isForm && takesUpload === 'only') {
      throw new MultipartExpectedError();
    }
    return isForm;
  }
}

/** The media type of forms, which only routes with `@TakesForms` read. */
export const FORM = 'application/x-www-form-urlencoded';

/** Names of UTF-8. The first is the standard's; some clients send the second. */
const UTF8 = ['utf-8', 'utf8'];

/** A body while it is received. */
interface ArrivingBody {
  /** @throws an error as soon as it is certain that the body will be refused */
  add(part: Buffer): void;
  parse(): unknown;
  /** The body as received, if the route passes it on. */
  readonly exactBytes?: Buffer;
  /** Call it after the body was parsed or refused. */
  release?(): void;
}

/**
 * Reads and parses the body of a request; undefined if there is none. It checks the headers before it reads a byte, and
 * refuses bodies that would take long to parse while they arrive. It refuses compressed bodies, because a few
 * compressed bytes can become megabytes.
 *
 * @param memory counts the memory of the body until the request is answered, or `request.bodyUnderWay` is ended earlier
 * @throws UnsupportedMediaTypeError, PayloadTooLargeError, InvalidJsonError, ValidationFailedError,
 * InvalidParameterError if it is too slow, ServiceOverloadedError, TooManyBodiesError
 */
async function readBody(request: Request, response: Response, rules: BodyRules, memory: BodyMemory): Promise<unknown> {
  if (!isPlain(request.headers['content-encoding'])) {
    throw new UnsupportedMediaTypeError();
  }
  if (!hasBody(request)) {
    return undefined;
  }
  const length = Number(request.headers['content-length'] ?? 0);
  const body: ArrivingBody = arrivingBody(request.headers['content-type'], rules);
  const largest = rules.takesFiles ? FILES_BODY : rules.limit;
  if (length > largest) {
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
      if (size > Math.max(largest, FILES_BODY)) {
        throw new PayloadTooLargeError();
      }
      held.add(part.length);
      body.add(part);
    });
    const parsed = size === 0 ? undefined : body.parse();
    request.exactBody = body.exactBytes;
    if (response.destroyed) {
      // The client has disconnected, so no response will end the body.
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
  if ((!isForm && !isJson) || !UTF8.includes((parameters.charset ?? 'utf-8').toLowerCase())) {
    throw new UnsupportedMediaTypeError();
  }
  if (isForm) {
    return new FormBody(rules);
  }
  return rules.keepsBytes ? new ExactBody(rules) : new JsonBody(rules);
}

/** Reads a body without keeping it. @throws PayloadTooLargeError, and the errors of `readParts` */
async function discardBody(request: Request, limit: number): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    throw new PayloadTooLargeError();
  }
  let size = 0;
  await readParts(request, (part) => {
    size += part.length;
    if (size > limit) {
      throw new PayloadTooLargeError();
    }
  });
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isPlain(encoding = ''): boolean {
  return ['', 'identity'].includes(encoding.toLowerCase());
}

/** A body may come in this many parts, plus one for each further block of bytes. Each part costs some microseconds. */
const PARTS = 10_000;

const BYTES_PER_PART = 512;

/** In each period, this many bytes must arrive, or the rest of the body. */
const LEAST_BYTES = 65_536;

const PERIOD_MILLISECONDS = 10_000;

/**
 * Passes each part of a body on as it arrives. If `take` throws, or the body is too slow or in too many parts, reading
 * stops.
 *
 * @throws errors of `take`, PayloadTooLargeError, InvalidParameterError; InvalidJsonError if the connection ends before
 * the body is complete
 */
export function readParts(request: Readable, take: (part: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let parts = 0;
    let bytes = 0;
    let before = 0;
    const onData = (part: Buffer): void => {
      bytes += part.length;
      parts++;
      try {
        if (parts > PARTS + bytes / BYTES_PER_PART) {
          throw new PayloadTooLargeError();
        }
        take(part);
      } catch (error) {
        refuse(error as Error);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve();
    };
    const onClose = (): void => refuse(new InvalidJsonError());
    const timer = setInterval(() => {
      if (bytes - before < LEAST_BYTES) {
        refuse(new InvalidParameterError([{ field: 'request', reason: 'timed_out' }]));
      }
      before = bytes;
    }, PERIOD_MILLISECONDS).unref();
    const stop = (): void => {
      clearInterval(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    const refuse = (error: Error): void => {
      stop();
      request.pause();
      reject(error);
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    if (request.destroyed) {
      onClose();
    }
  });
}

/**
 * Call it before you send a refusal. If a large body has not arrived yet, this ends the connection after the refusal,
 * so that the body need not be read. Node reads a small body, so that the connection can be reused.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  const length = request.headers['content-length'];
  const isSmall = request.headers['transfer-encoding'] === undefined && Number(length ?? 0) <= SMALL_BODY;
  if (request.complete || isSmall) {
    return;
  }
  response.setHeader('Connection', 'close');
  const { socket } = request;
  // Node would close the connection immediately. A client that is still sending would then lose the response.
  socket.destroySoon = () => {
    request.pause();
    socket.end();
    setTimeout(() => socket.destroy(), LINGER).unref();
  };
}
