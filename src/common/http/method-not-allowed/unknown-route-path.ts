import { RequestMethod } from '@nestjs/common';
import type { RouteInfo } from '@nestjs/common/interfaces';

/** Matches every path, the empty one too (path-to-regexp 8). */
export const UNKNOWN_ROUTE = '/{*unknownRoute}';

/**
 * For the `exclude` list of `setGlobalPrefix`: keeps the catch-all free of the prefix, so that it covers every path.
 * Nest compares exclusions with the routes' patterns; the backslashes make this one match that one pattern and no
 * other.
 */
export const UNKNOWN_ROUTE_EXCLUSION: RouteInfo = {
  path: '/\\{\\*unknownRoute\\}',
  method: RequestMethod.ALL,
};
