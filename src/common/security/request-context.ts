import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Language } from '../i18n/language';
import { requestLanguage } from '../i18n/negotiate-language';
import { callerAddress } from './caller-address';
import { type Principal } from './principal';
import { withoutSecrets } from './without-secrets';

/** What a service may need to know about its request. On a public route the caller may be anonymous. */
export abstract class PublicRequestContext {
  abstract readonly principal: Principal | null;
  abstract readonly requestId: string;
  /** The client's address, as far as the configured proxies are trusted. */
  abstract readonly address: string;
  abstract readonly userAgent: string | null;
  /** The language to answer in. */
  abstract readonly language: Language;
}

/** The same on a route that is not public. There the access guard has made sure that the caller is signed in. */
export abstract class RequestContext extends PublicRequestContext {
  abstract override readonly principal: Principal;
}

/**
 * Gives the context of the request to a handler: a `RequestContext`, or a `PublicRequestContext` on a `@Public()`
 * route. These are classes so that an architecture test can tell which of the two a handler takes.
 */
export const CurrentContext = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  contextOf(context.switchToHttp().getRequest<Request>()),
);

/** The context is made once per request. Call this only after the guards, because they find out who calls. */
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

/** What the client calls itself; null: it does not say. */
export function userAgentOf({ headers }: Request): string | null {
  const name = headers['user-agent'];
  return name === undefined ? null : withoutSecrets(name);
}
