import type { Request } from 'express';
import type { AppConfig } from '../../config/app.config';

/** Where people reach the service, without `/` at its end: `PUBLIC_URL`, or as this request did. */
export function ownAddress({ PUBLIC_URL }: Pick<AppConfig, 'PUBLIC_URL'>, request: Request): string {
  return PUBLIC_URL?.replace(/\/+$/, '') ?? `${request.protocol}://${request.get('host') ?? ''}`;
}
