import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Application } from 'express';

/** The prototypes that Express gives to requests and responses; its published types leave them out. */
type ApplicationWithPrototypes = Application & { request: object; response: object };

/**
 * Express without its one expensive habit.
 *
 * Express calls `Object.setPrototypeOf` on every request and response, and V8 then gives each of them a hidden class of
 * its own, so that nothing it has learned about one request speeds up the next. Here the server makes requests and
 * responses whose prototype is Express' own from the start, and the call finds nothing to change. Measured by
 * `bench/express-adapter`.
 *
 * With TLS or `forceCloseConnections` the ordinary server is used, which works the same and costs more.
 */
export class FastExpressAdapter extends ExpressAdapter {
  constructor() {
    super();
    // A hash over each body, for an ETag that clients of an API with live data do not send back.
    this.set('etag', false);
    this.disable('x-powered-by');
  }

  override initHttpServer(options: NestApplicationOptions): void {
    if (options.httpsOptions || options.forceCloseConnections) {
      super.initHttpServer(options);
      return;
    }
    const application = this.getInstance<ApplicationWithPrototypes>();
    class ApplicationRequest extends IncomingMessage {}
    class ApplicationResponse extends ServerResponse {}
    application.request = adopt(ApplicationRequest.prototype, application.request, IncomingMessage.prototype);
    application.response = adopt(ApplicationResponse.prototype, application.response, ServerResponse.prototype);
    this.httpServer = createServer(
      {
        IncomingMessage: ApplicationRequest,
        ServerResponse: ApplicationResponse,
        // Node's own refusal has no body; `divertMalformedRequest` refuses instead.
        requireHostHeader: false,
        // How often Node looks for requests that take too long; left alone, each may take half a minute more.
        connectionsCheckingInterval: 1_000,
      },
      application,
    );
  }
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
