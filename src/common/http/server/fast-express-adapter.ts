import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type NestApplicationOptions, StreamableFile } from '@nestjs/common';
// The package's main file would load the handling of uploaded files too.
import { ExpressAdapter } from '@nestjs/platform-express/adapters';
import type { Application, Request, Response } from 'express';
import { successBody } from '../../envelope/success-envelope';
import { gauge } from '../../metrics/metrics';
import { sendJson } from '../send-json';

/** Pieces up to this size are not looked at: they are many, and together they take little. */
const SMALL = 65_536;

/** Bytes that wait for one user, and for all users, to read them. */
const MOST_OF_USER = 64 * 1_048_576;
const MOST_OF_ALL = 192 * 1_048_576;

/**
 * Bounds what answers take that nobody reads. An answer stays in memory until its client has taken it, so a client who asks for
 * much and reads nothing could take all of it. Beyond the limits the largest unread answer is cut: of the user, or of the user
 * for whom most waits. The answer that comes last is spared, unless it is the only one.
 */
class UnreadAnswers {
  /** Users by their answers with large pieces, the oldest first. */
  private readonly open = new Map<ServerResponse, number>();

  constructor() {
    gauge('unread_answers_bytes', 'Bytes of large answers that clients have not read yet', () => this.waiting());
  }

  /** A piece of an answer was handed to its connection. Those for callers without an account are files that all share. */
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
      // Until there is room.
    }
    while (this.waiting() > MOST_OF_ALL && this.cutLargest(this.greediest(), response)) {
      // The same for all.
    }
  }

  /** @returns whether there was one beside the newest */
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

  /** Bytes for one user; without one, for all. */
  private waiting(of?: number): number {
    let bytes = 0;
    for (const [answer, userId] of this.open) {
      bytes += of === undefined || of === userId ? answer.writableLength : 0;
    }
    return bytes;
  }
}

/**
 * A large text as its bytes. Node keeps a text that the connection does not take at once, and its bytes as well. An answer that
 * its client does not read would take twice its size, or three times where a character of it needs two bytes in memory.
 */
export function inBytes(piece: unknown, encoding: unknown): unknown {
  const isText = typeof piece === 'string' && piece.length > SMALL;
  return isText && (typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)) ? Buffer.from(piece) : piece;
}

function lengthOf(piece: unknown): number {
  return typeof piece === 'string' || piece instanceof Uint8Array ? piece.length : 0;
}

/** The prototypes that Express gives to requests and responses; its published types leave them out. */
type ApplicationWithPrototypes = Application & { request: object; response: object };

/**
 * Express without its two expensive habits. `reply` sends JSON without the second, `response.json`.
 *
 * The first: Express calls `Object.setPrototypeOf` on every request and response. Before Node 24, V8 then gives each
 * object its own hidden class, and code that V8 optimised for one request does not help the next. Here the server makes
 * requests and responses that have Express' prototype from the start, so the call changes nothing.
 * `bench/express-adapter` measures the gain.
 *
 * With TLS or `forceCloseConnections` the ordinary server is used. It works in the same way and is slower.
 *
 * @borrowed express-prototypes
 */
export class FastExpressAdapter extends ExpressAdapter {
  /** Answers a request in the place of the application, when it returns true. */
  refuses: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  private readonly connections = new Set<Socket>();

  constructor() {
    super();
    // An ETag would cost a hash over each body, and clients of an API with live data do not use it.
    this.set('etag', false);
    this.disable('x-powered-by');
  }

  /** Sends what a handler returned. */
  override reply(response: Response, data: unknown, status?: number): void {
    const body = successBody(response.req, data);
    if (isPlainAnswer(response, body) && status === undefined) {
      sendJson(response, body);
    } else {
      super.reply(response, body, status);
    }
  }

  /**
   * Stops listening, and resolves when the last request has its answer. Connections that never sent anything are closed:
   * browsers and clients open some to be ready, and a closing server no longer ends them by their time limit.
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
    this.httpServer = createServer(
      {
        IncomingMessage: ApplicationRequest,
        ServerResponse: ApplicationResponse,
        // Node's own refusal has no body; `divertMalformedRequest` refuses instead.
        requireHostHeader: false,
        // How often Node looks for requests that take too long. With the default, each could take half a minute longer.
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

/** Copies what Express put on `source`, and on the prototypes between it and Node's own, onto `prototype`. */
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
