import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * What Node stores on a connection of an HTTP server.
 *
 * @borrowed node-socket
 */
export interface HttpSocket extends Socket {
  /** The response that the connection waits for. Node uses it for its own refusals. */
  _httpMessage?: ServerResponse | null;
  parser?: HttpParser | null;
}

/** `upgrade`: whether the request asks for another protocol. */
export interface HttpRequest extends IncomingMessage {
  upgrade?: boolean | null;
}

interface HttpParser {
  /** Starts a request once its head is read. Its result goes to llhttp, which stops there if that is `HPE_PAUSED`. */
  onIncoming: (request: HttpRequest, keepsAlive: boolean) => number;
  resume(): void;
}

/** The number and the name of llhttp's result after it was paused. */
export const HPE_PAUSED = 21;
export const PAUSED_CODE = 'HPE_PAUSED';

/** The error of a malformed request, or of a paused parser. */
export interface ParserFault extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
}
