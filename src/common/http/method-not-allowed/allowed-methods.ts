import { RequestMethod } from '@nestjs/common';
import type { RouteInfo } from '@nestjs/common/interfaces';
import type { Application } from 'express';

/** Matches every path, also the empty one (path-to-regexp 8). */
export const UNKNOWN_ROUTE = '/{*unknownRoute}';

/**
 * For the `exclude` list of `setGlobalPrefix`: the catch-all has no prefix, so it covers every path. Nest compares
 * exclusions with the patterns of routes. With the backslashes, this exclusion matches only that pattern.
 */
export const UNKNOWN_ROUTE_EXCLUSION: RouteInfo = {
  path: '/\\{\\*unknownRoute\\}',
  method: RequestMethod.ALL,
};

/**
 * The members of a router layer that this file reads. Express' types do not include `match` and `methods`.
 *
 * @borrowed routes
 */
interface RouteLayer {
  match(path: string): unknown;
  route?: Route;
}

interface Route {
  path: unknown;
  methods: Record<string, boolean | undefined>;
}

/**
 * The methods that a path supports, sorted, for the header `Allow` (RFC 9110 §10.2.1): the methods of its routes,
 * OPTIONS, and HEAD if there is GET. If a route has exactly this path, routes with a parameter in its place do not
 * count: `/chat/trash` is not a conversation. The list is empty if the path has no route. Catch-all routes do not
 * count.
 *
 * @param path decodable path without query
 */
export function allowedMethods(application: Application, path: string): string[] {
  const routes = matchingRoutes(application, path);
  const own = routes.filter(isLiteral);
  return withImplied((own.length > 0 ? own : routes).flatMap(methodsOf));
}

/**
 * Whether a route with a parameter would handle a request although its path belongs to another route with other
 * methods.
 *
 * @param path decodable path without query
 */
export function isTakenForParameter(application: Application, method: string, path: string): boolean {
  const methods = literalPaths(application).get(asKey(path));
  return (
    methods !== undefined &&
    !methods.has(method) &&
    withImplied(matchingRoutes(application, path).flatMap(methodsOf)).includes(method)
  );
}

/** The methods of the paths without a parameter. The map is cached because every request needs it. */
function literalPaths(application: Application): Map<string, Set<string>> {
  const known = literalPathsOf.get(application);
  if (known) {
    return known;
  }
  const paths = new Map<string, Set<string>>();
  for (const { route } of routeLayers(application).filter(({ route }) => isLiteral(route))) {
    const path = asKey(String(route.path));
    paths.set(path, new Set(withImplied([...(paths.get(path) ?? []), ...methodsOf(route)])));
  }
  literalPathsOf.set(application, paths);
  return paths;
}

const literalPathsOf = new WeakMap<Application, Map<string, Set<string>>>();

/** Express ignores case and a trailing slash. */
function asKey(path: string): string {
  return path.toLowerCase().replace(/(?<=.)\/$/, '');
}

function withImplied(methods: string[]): string[] {
  if (methods.length === 0) {
    return [];
  }
  return [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort();
}

function methodsOf({ methods }: Route): string[] {
  return Object.keys(methods).map((method) => method.toUpperCase());
}

function isLiteral({ path }: Route): boolean {
  return typeof path === 'string' && !/[:*{]/.test(path);
}

function matchingRoutes(application: Application, path: string): Route[] {
  return routeLayers(application)
    .filter(({ match }) => match(path))
    .map(({ route }) => route);
}

/** Routes of `app.all()` accept every method that Node knows, including CONNECT, which ordinary routes do not have. */
function isCatchAll(route: Route): boolean {
  return route.path === UNKNOWN_ROUTE || route.methods.connect === true || route.methods._all === true;
}

function routeLayers(application: Application): { route: Route; match: RouteLayer['match'] }[] {
  const layers = application.router.stack as unknown as RouteLayer[];
  return layers.flatMap((layer) =>
    layer.route && !isCatchAll(layer.route) ? [{ route: layer.route, match: (path: string) => layer.match(path) }] : [],
  );
}
