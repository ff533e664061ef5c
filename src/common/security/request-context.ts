import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Language } from '../i18n/language';
import { requestLanguage } from '../i18n/negotiate-language';
import { callerAddress } from './caller-address';
import { type Principal } from './principal';
import { withoutSecrets } from './without-secrets';

/** The part of a request that a service may need. On a public route the caller may be anonymous. */
export abstract class PublicRequestContext {
  abstract readonly principal: Principal | null;
  abstract readonly requestId: string;
  /** The client's address, as far as the configured proxies are trusted. */
  abstract readonly address: string;
  abstract readonly userAgent: string | null;
  /** The language of the response. */
  abstract readonly language: Language;
}

/** The context on a route that is not public, where the access guard has ensured that the caller is signed in. */
export abstract class RequestContext extends PublicRequestContext {
  abstract override readonly principal: Principal;
}

/**
 * Passes the context of the request to a handler: a `RequestContext`, or a `PublicRequestContext` on a `@Public()`
 * route. These are classes so that an architecture test can see which of the two a handler takes.
 */
export const CurrentContext = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  contextOf(context.switchToHttp().getRequest<Request>()),
);

/** The context is created once per request. Call this only after the guards, which identify the caller. */
export function contextOf(request: Request): PublicRequestContext {
  request.context ??= {
    principal: request.principal ?? null,
    requestId: request.id,
    address: callerAddress(request),
    userAgent: userAgentOf(request),
    language: requestLanguage(request),
  };
  return request.context;
}

/** The client's User-Agent; null if it sends none. */
export function userAgentOf({ headers }: Request): string | null {
  const name = headers['user-agent'];
  return name === undefined ? null : withoutSecrets(name);
}
