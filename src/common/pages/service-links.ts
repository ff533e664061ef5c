import { type AppConfig } from '../../config/app.config';
import { API_PREFIX } from '../http/api-prefix';

/** Where a person or a program goes on from the root of the service; documents only where they are served. */
export interface ServiceLinks {
  home: string;
  api: string;
  swagger?: string;
  redoc?: string;
  openapi?: string;
  health: string;
}

/** Paths on this host, or whole addresses where the operator named one. */
export function serviceLinks({ PUBLIC_URL, DOCS_ENABLED }: AppConfig): ServiceLinks {
  const base = PUBLIC_URL?.replace(/\/+$/, '') ?? '';
  return {
    home: `${base}/`,
    api: `${base}/${API_PREFIX}`,
    ...(DOCS_ENABLED && { swagger: `${base}/docs`, redoc: `${base}/redoc`, openapi: `${base}/openapi.json` }),
    health: `${base}/health`,
  };
}
