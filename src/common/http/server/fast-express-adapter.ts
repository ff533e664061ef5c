import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type NestApplicationOptions, StreamableFile } from '@nestjs/common';
// The package's main file would load the handling of uploaded files too.
import { ExpressAdapter } from '@nestjs/platform-express/adapters';
import type { Application, Response } from 'express';
import { successBody } from '../../envelope/success-envelope';
import { sendJson } from '../send-json';
import { UnreadAnswers } from './unread-answers';

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
      override write(...parameters: unknown[]): boolean {
        const isRoom = super.write(...(parameters as [string]));
        answers.wrote(this, parameters[0]);
        return isRoom;
      }

      override end(...parameters: unknown[]): this {
        super.end(...(parameters as [string]));
        answers.wrote(this, parameters[0]);
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
      application,
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
