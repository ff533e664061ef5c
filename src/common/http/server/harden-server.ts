import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { ApiError } from '../../errors/api-error';
import { PayloadTooLargeError } from '../../errors/common.errors';
import { errorBody } from '../../errors/error-body';
import { InvalidParameterError } from '../../errors/validation.errors';
import { DEFAULT_LANGUAGE } from '../../i18n/language';
import { MINUTE_MILLISECONDS } from '../../time';
import type { HttpSocket } from './http-socket';
import { limitPipelining } from './limit-pipelining';
import { LINGER } from './linger';

/**
 * Limits the time and the number of requests being received, and answers input that is not HTTP with the service's
 * error body.
 */
export function hardenServer(server: Server): void {
  server.headersTimeout = 15_000;
  server.requestTimeout = MINUTE_MILLISECONDS;
  // Longer than the idle time of common load balancers, so that the balancer closes the connection, and no request is
  // lost.
  server.keepAliveTimeout = 65_000;
  // Node would answer 417 without a body; the pipeline refuses such a request with the usual error body. `readBody`
  // sends 100 Continue to request the body, so only once the caller is known.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  const isPause = limitPipelining(server);
  server.on('clientError', (fault: NodeJS.ErrnoException, socket: HttpSocket) => {
    if (!isPause(fault, socket)) {
      refuse(fault, socket);
    }
  });
}

function refuse(fault: NodeJS.ErrnoException, socket: HttpSocket): void {
  const pending = socket._httpMessage;
  // A connection that received nothing needs no response. If a response has begun, there cannot be a second one.
  if (fault.code === 'ECONNRESET' || socket.bytesRead === 0 || pending?.headersSent) {
    socket.destroy();
    return;
  }
  if (pending?.req.complete) {
    // Invalid data after a complete request: the request gets its response, and then the connection ends.
    pending.setHeader('Connection', 'close');
    return;
  }
  if (socket.writable) {
    socket.end(refusal(failureOf(fault), pending?.getHeader('X-Request-Id')?.toString() ?? randomUUID()));
    setTimeout(() => socket.destroy(), LINGER).unref();
  }
}

function failureOf({ code }: NodeJS.ErrnoException): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return tooLarge('headers');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return tooLarge('body');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new InvalidParameterError([{ field: 'request', reason: 'timed_out' }]);
    default:
      return new InvalidParameterError([{ field: 'request', reason: 'malformed_http' }]);
  }
}

function tooLarge(field: string): PayloadTooLargeError {
  const fault = { field, reason: 'too_long' };
  return new PayloadTooLargeError({ ...fault, errors: [fault] });
}

/** The whole response as it goes over the wire. */
function refusal(failure: ApiError, requestId: string): string {
  const body = JSON.stringify(errorBody(failure, DEFAULT_LANGUAGE));
  return [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
