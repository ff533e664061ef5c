import type { Request } from 'express';
import type { AppConfig } from '../../config/app.config';

/** The public address of the service, without a trailing `/`: `PUBLIC_URL`, or the address of this request. */
export function ownAddress({ PUBLIC_URL }: Pick<AppConfig, 'PUBLIC_URL'>, request: Request): string {
  return PUBLIC_URL?.replace(/\/+$/, '') ?? `${request.protocol}://${request.get('host') ?? ''}`;
}
