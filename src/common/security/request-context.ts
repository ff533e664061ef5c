import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { callerAddress } from '../http/caller-address';
import type { Language } from '../i18n/language';
import { requestLanguage } from '../i18n/negotiate-language';
import { type Principal } from './principal';

/** What a service may want to know of the request it serves: for mails, session lists and the audit log. */
export interface RequestContext {
  principal: Principal | null;
  requestId: string;
  /** The client's address, as far as the configured proxies are trusted. */
  address: string;
  userAgent: string | null;
  /** The language to answer in. */
  language: Language;
}

export const CurrentContext = createParamDecorator((_data: unknown, context: ExecutionContext): RequestContext => {
  const request = context.switchToHttp().getRequest<Request>();
  return {
    principal: request.principal ?? null,
    requestId: request.id,
    address: callerAddress(request),
    userAgent: request.headers['user-agent'] ?? null,
    language: requestLanguage(request),
  };
});
