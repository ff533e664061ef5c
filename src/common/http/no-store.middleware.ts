import type { RequestHandler } from 'express';
import type { ApiPaths } from './api-paths';

/**
 * Forbids caching of an API's responses unless the route allows it. They are for one caller, and contain tokens and
 * secrets.
 */
export function noStore(apis: ApiPaths): RequestHandler {
  return (request, response, next): void => {
    if (apis.includes(request.path)) {
      response.setHeader('Cache-Control', 'no-store');
    }
    next();
  };
}
