import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type NestApplicationOptions, StreamableFile } from '@nestjs/common';
// The package's main file would also load the handling of uploaded files.
import { ExpressAdapter } from '@nestjs/platform-express/adapters';
import type { Application, Request, Response } from 'express';
import { successBody } from '../../envelope/success-envelope';
import { gauge } from '../../metrics/metrics';
import { sendJson } from '../send-json';
import { indexRoutes } from './route-index';

/** Pieces up to this size are not counted: they are many, and together they take little memory. */
const SMALL = 65_536;

/** Most bytes waiting to be read by one user, and by all users. */
const MOST_OF_USER = 64 * 1_048_576;
const MOST_OF_ALL = 192 * 1_048_576;

/**
 * Bounds the memory of responses that clients do not read. A response stays in memory until its client has read it, so
 * a client that requests much and reads nothing could use all memory. Beyond the limits, the largest unread response is
 * cut: of the user, or of the user with the most waiting bytes. The newest response is spared, unless it is the only
 * one.
 */
class UnreadAnswers {
  /** The users of the responses with large pieces, the oldest response first. */
  private readonly open = new Map<ServerResponse, number>();

  constructor() {
    gauge('unread_answers_bytes', 'Bytes of large answers that clients have not read yet', () => this.waiting());
  }

  /** A piece of a response was handed to its connection. Responses for callers without an account are shared files. */
  wrote(response: ServerResponse, piece: unknown): void {
    const userId = (response.req as Request).principal?.userId;
    if (userId === undefined || lengthOf(piece) <= SMALL) {
      return;
    }
    if (!this.open.has(response)) {
      this.open.set(response, userId);
      response.once('close', () => this.open.delete(response));
    }
    while (this.waiting(userId) > MOST_OF_USER && this.cutLargest(userId, response)) {
      // Until the user has room.
    }
    while (this.waiting() > MOST_OF_ALL && this.cutLargest(this.greediest(), response)) {
      // Until there is room for all users.
    }
  }

  /** @returns whether there was a response other than the newest */
  private cutLargest(userId: number, newest: ServerResponse): boolean {
    const [largest] = [...this.open]
      .filter(([answer, each]) => each === userId && answer !== newest && answer.writableLength > 0)
      .sort(([one], [other]) => other.writableLength - one.writableLength);
    if (largest === undefined) {
      return false;
    }
    this.open.delete(largest[0]);
    largest[0].destroy();
    return true;
  }

  private greediest(): number {
    const users = [...new Set(this.open.values())];
    return users.reduce((most, each) => (this.waiting(each) > this.waiting(most) ? each : most));
  }

  /** Waiting bytes of one user; without a user, of all. */
  private waiting(of?: number): number {
    let bytes = 0;
    for (const [answer, userId] of this.open) {
      bytes += of === undefined || of === userId ? answer.writableLength : 0;
    }
    return bytes;
  }
}

/**
 * Converts a large text to bytes. If the connection does not accept a text at once, Node keeps the text as well as its
 * bytes. An unread response would take twice its size, or three times if its text needs two bytes per character in
 * memory.
 */
export function inBytes(piece: unknown, encoding: unknown): unknown {
  const isText = typeof piece === 'string' && piece.length > SMALL;
  return isText && (typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)) ? Buffer.from(piece) : piece;
}

function lengthOf(piece: unknown): number {
  return typeof piece === 'string' || piece instanceof Uint8Array ? piece.length : 0;
}

/** The prototypes that Express sets on requests and responses. Its published types leave them out. */
type ApplicationWithPrototypes = Application & { request: object; response: object };

/**
 * Express without two expensive habits. First, Express calls `Object.setPrototypeOf` on every request and response.
 * Before Node 24, V8 then gives each object its own hidden class, and code that V8 optimised for one request does not
 * help the next. Here the server creates requests and responses with Express's prototype from the start, so the call
 * changes nothing. `bench/express-adapter` measures the gain. Second, `reply` sends JSON without `response.json`.
 *
 * With TLS or `forceCloseConnections` the ordinary server is used. It works in the same way and is slower.
 *
 * @borrowed express-prototypes
 */
export class FastExpressAdapter extends ExpressAdapter {
  /** Handles a request instead of the application if it returns true. */
  refuses: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  private readonly connections = new Set<Socket>();

  constructor() {
    super();
    // An ETag would cost a hash over each body, and clients of an API with live data do not use it.
    this.set('etag', false);
    this.disable('x-powered-by');
  }

  /** Sends the result of a handler. */
  override reply(response: Response, data: unknown, status?: number): void {
    const body = successBody(response.req, data);
    if (isPlainAnswer(response, body) && status === undefined) {
      sendJson(response, body);
    } else {
      super.reply(response, body, status);
    }
  }

  /**
   * Stops listening, and resolves when the last request has its response. Connections that never sent anything are
   * closed: browsers and clients open some in advance, and a closing server no longer ends them by their time limit.
   */
  override close(): Promise<unknown> | undefined {
    const closed = super.close();
    this.connections.forEach((socket) => {
      if (socket.bytesRead === 0) {
        socket.destroy();
      }
    });
    return closed;
  }

  override initHttpServer(options: NestApplicationOptions): void {
    if (options.httpsOptions || options.forceCloseConnections) {
      super.initHttpServer(options);
      return;
    }
    const application = this.getInstance<ApplicationWithPrototypes>();
    class ApplicationRequest extends IncomingMessage {}
    const answers = new UnreadAnswers();
    class ApplicationResponse extends ServerResponse {
      override write(piece: unknown, ...more: unknown[]): boolean {
        const bytes = inBytes(piece, more[0]);
        const isRoom = super.write(...([bytes, ...more] as [string]));
        answers.wrote(this, bytes);
        return isRoom;
      }

      override end(piece?: unknown, ...more: unknown[]): this {
        const bytes = inBytes(piece, more[0]);
        super.end(...([bytes, ...more] as [string]));
        answers.wrote(this, bytes);
        return this;
      }
    }
    application.request = adopt(ApplicationRequest.prototype, application.request, IncomingMessage.prototype);
    application.response = adopt(ApplicationResponse.prototype, application.response, ServerResponse.prototype);
    indexRoutes(application);
    this.httpServer = createServer(
      {
        IncomingMessage: ApplicationRequest,
        ServerResponse: ApplicationResponse,
        // Node's own refusal has no body. `divertMalformedRequest` refuses such requests instead.
        requireHostHeader: false,
        // How often Node checks for requests that take too long. With the default, each could take half a minute
        // longer.
        connectionsCheckingInterval: 1_000,
      },
      (request, response) => {
        if (!this.refuses(request, response)) {
          application(request, response);
        }
      },
    );
    this.httpServer.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
  }
}

/** Whether `response.json` would only send the body, as JSON and with the usual headers. */
function isPlainAnswer(response: Response, body: unknown): body is object {
  const { headers } = response.req;
  return (
    typeof body === 'object' &&
    body !== null &&
    !(body instanceof StreamableFile) &&
    (response.statusCode === 200 || response.statusCode === 201) &&
    !response.hasHeader('Content-Type') &&
    headers['if-none-match'] === undefined &&
    headers['if-modified-since'] === undefined
  );
}

/** Copies the members that Express put on `source`, and on the prototypes between it and Node's own, to `prototype`. */
function adopt(prototype: object, source: object, nodePrototype: object): object {
  const layers: object[] = [];
  for (let layer = source; layer !== nodePrototype; layer = Object.getPrototypeOf(layer) as object) {
    layers.unshift(layer);
  }
  for (const layer of layers) {
    Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(layer));
  }
  return prototype;
}
