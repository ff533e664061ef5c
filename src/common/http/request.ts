import type { MessageKey } from '../envelope/enveloped.decorator';
import type { Principal } from '../security/principal';
import type { PublicRequestContext } from '../security/request-context';
import type { Span } from '../tracing/span';
import type { BodyUnderWay } from './body/body-memory';

/*
 * This folder handles requests before they reach their routes. Start with `configureApp` in `src/app-setup.ts`, which
 * lists the middlewares in their order. `FastExpressAdapter` and `hardenServer` set the server up, `BodyGuard` reads
 * the body, and `method-not-allowed` handles unknown paths. This file declares what all of them store in a request.
 */
declare module 'express-serve-static-core' {
  interface Request {
    /** The request's id, from the service or the caller; also the header X-Request-Id of the response. */
    id: string;
    /** The caller, once the identity guard has accepted a valid token. */
    principal?: Principal;
    /** The same principal, in the place where guards of other NestJS packages look for it. */
    user?: Principal;
    /** What services may know about the request; set when a handler first requests it. */
    context?: PublicRequestContext;
    /** Whether `body` is the body that the client sent. */
    isBodyReceived?: boolean;
    /** On a route with `@KeepsBytes`: the bytes of the body. */
    exactBody?: Buffer | undefined;
    /** On a route with `@CountedBySession`: the session that a valid token names, or null if the token is invalid. */
    countedSession?: string | null | false;
    /** Why the token of the request is invalid. */
    identityFailure?: Error;
    /** The message key of the response's envelope. Absent: the response has no envelope. */
    messageKey?: MessageKey;
    /** The memory that its body holds. A handler that converts the body and then works for long ends it earlier. */
    bodyUnderWay?: BodyUnderWay;
    /** When the request arrived, milliseconds of the monotonic clock. */
    startedAt?: number;
    /** Absent: the request is not traced. */
    span?: Span;
  }
}
