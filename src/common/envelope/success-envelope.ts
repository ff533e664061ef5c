import { StreamableFile } from '@nestjs/common';
import type { Request } from 'express';
import { requestLanguage } from '../i18n/negotiate-language';
import { translate } from '../i18n/translator';

/*
 * This folder defines the form of successful responses. Routes with `@Enveloped()` use the envelope below, and `Page`
 * for lists. Other routes return bare objects, and lists with the header X-Total-Count (`total-count.ts`).
 */

/** Success envelope of routes marked with `@Enveloped()`. */
export interface SuccessBody<Data> {
  success: true;
  data: Data;
  message: string;
  timestamp: string;
}

/**
 * The body of a response: the handler's result, in the envelope if the route has one. Files have none.
 * `ErrorEnvelopeFilter` builds the envelope of failures.
 */
export function successBody(request: Request, data: unknown): unknown {
  const { messageKey } = request;
  if (messageKey === undefined || data instanceof StreamableFile) {
    return data;
  }
  return {
    success: true,
    data: data ?? {},
    message: translate(
      requestLanguage(request),
      typeof messageKey === 'string' ? messageKey : messageKey(data as never),
      data as Record<string, unknown> | undefined,
    ),
    timestamp: new Date().toISOString(),
  } satisfies SuccessBody<unknown>;
}
