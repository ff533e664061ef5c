import { StreamableFile } from '@nestjs/common';
import type { Request } from 'express';
import { requestLanguage } from '../i18n/negotiate-language';
import { translate } from '../i18n/translator';

/*
 * This folder gives successful answers their form. Routes with `@Enveloped()` answer in the envelope below, lists of such
 * routes as a `Page`. Other routes answer bare objects, and lists with the header X-Total-Count (`total-count.ts`).
 */

/** Success envelope of routes marked with `@Enveloped()`. */
export interface SuccessBody<Data> {
  success: true;
  data: Data;
  message: string;
  timestamp: string;
}

/**
 * The body that answers a request: what the handler returned, in the envelope when the route has one. Files have none.
 * `ErrorEnvelopeFilter` makes the envelope of failures.
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
