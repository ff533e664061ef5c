import type { Principal } from '../security/principal';
import type { PublicRequestContext } from '../security/request-context';

declare module 'express-serve-static-core' {
  interface Request {
    /** The request's id, ours or the caller's; also the header X-Request-Id of the answer. */
    id: string;
    /** Who calls, once the identity guard has seen a valid token. */
    principal?: Principal;
    /** What services are told of the request, once a handler has asked for it. */
    context?: PublicRequestContext;
    /** Why the token that was sent is not valid. */
    identityFailure?: Error;
    /** When the request arrived, milliseconds of the monotonic clock. */
    startedAt?: number;
  }
}
