import type { MessageKey } from '../envelope/enveloped.decorator';
import type { Principal } from '../security/principal';
import type { PublicRequestContext } from '../security/request-context';
import type { BodyUnderWay } from './body/body-memory';

/*
 * This folder handles a request before and beside its route. Start with `configureApp` in `src/app-setup.ts`: it lists the
 * middlewares in their order. `FastExpressAdapter` and `hardenServer` set the server up, `BodyGuard` reads the body, and
 * `method-not-allowed` answers unknown paths. This file declares what all of them store in a request.
 */
declare module 'express-serve-static-core' {
  interface Request {
    /** The request's id, from the service or the caller; also the header X-Request-Id of the answer. */
    id: string;
    /** The caller, after the identity guard has seen a valid token. */
    principal?: Principal;
    /** The same, where guards that were written for Nest look. */
    user?: Principal;
    /** What services may know about the request, after a handler has asked for it. */
    context?: PublicRequestContext;
    /** Whether `body` is what the request has sent. */
    isBodyReceived?: boolean;
    /** On a route with `@CountedBySession`: the session that a valid token names, or null when the token is not valid. */
    countedSession?: string | null;
    /** Why the token that was sent is not valid. */
    identityFailure?: Error;
    /** Which sentence the envelope of the answer has; absent: the answer has no envelope. */
    messageKey?: MessageKey;
    /** What its body holds of the memory. Whoever has made something else of a body, for long work, ends it. */
    bodyUnderWay?: BodyUnderWay;
    /** When the request arrived, milliseconds of the monotonic clock. */
    startedAt?: number;
  }
}
