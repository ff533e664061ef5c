import { type AppConfig } from '../../config/app.config';
import { API_PREFIX } from '../http/api-prefix';

/** The links from the root of the service. The console and the documentation are included only if they are served. */
export interface ServiceLinks {
  home: string;
  api: string;
  console?: string;
  swagger?: string;
  redoc?: string;
  openapi?: string;
  health: string;
}

/** Paths on this host, or full URLs if PUBLIC_URL is set. */
export function serviceLinks({ PUBLIC_URL, CONSOLE_ENABLED, DOCS_ENABLED }: AppConfig): ServiceLinks {
  const base = PUBLIC_URL?.replace(/\/+$/, '') ?? '';
  return {
    home: `${base}/`,
    api: `${base}/${API_PREFIX}`,
    ...(CONSOLE_ENABLED && { console: `${base}/console` }),
    ...(DOCS_ENABLED && { swagger: `${base}/docs`, redoc: `${base}/redoc`, openapi: `${base}/openapi.json` }),
    health: `${base}/health`,
  };
}
