import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * What Node keeps at a connection of an HTTP server.
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
  /** Begins a request when its head is read. What it returns goes to llhttp, which stops there when that is `HPE_PAUSED`. */
  onIncoming: (request: HttpRequest, keepsAlive: boolean) => number;
  resume(): void;
}

/** The number and the name of what llhttp returns when it was told to stop. */
export const HPE_PAUSED = 21;
export const PAUSED_CODE = 'HPE_PAUSED';

/** What a malformed request, or a stopped parser, is reported with. */
export interface ParserFault extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
}
