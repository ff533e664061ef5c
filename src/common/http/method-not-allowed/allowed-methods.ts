import { RequestMethod } from '@nestjs/common';
import type { RouteInfo } from '@nestjs/common/interfaces';
import type { Application } from 'express';

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

/** What this file reads of a layer of Express' router; its own types leave `match` and `methods` out. */
interface RouteLayer {
  match(path: string): unknown;
  route?: Route;
}

interface Route {
  path: unknown;
  methods: Record<string, boolean | undefined>;
}

/**
 * The methods that a path answers, sorted, as for the header `Allow` (RFC 9110 §10.2.1): those of its routes, HEAD
 * where there is GET, and OPTIONS. A route with the very path counts alone, one with a parameter in its place does not:
 * `/chat/trash` is no conversation. Empty when the path has no route; catch-all routes count for nothing.
 *
 * @param path decodable path without query
 */
export function allowedMethods(application: Application, path: string): string[] {
  const routes = matchingRoutes(application, path);
  const own = routes.filter(isLiteral);
  return withImplied((own.length > 0 ? own : routes).flatMap(methodsOf));
}

/**
 * Whether a route with a parameter would answer a request whose path is another route's own, with other methods.
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

/** Methods by the paths that have no parameter; made once, since every request is looked up. */
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

/** Express tells neither case nor a slash at the end apart. */
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

/** `app.all()` answers every method that Node knows, CONNECT among them, which no ordinary route has. */
function isCatchAll(route: Route): boolean {
  return route.path === UNKNOWN_ROUTE || route.methods.connect === true || route.methods._all === true;
}

function routeLayers(application: Application): { route: Route; match: RouteLayer['match'] }[] {
  const layers = application.router.stack as unknown as RouteLayer[];
  return layers.flatMap((layer) =>
    layer.route && !isCatchAll(layer.route) ? [{ route: layer.route, match: (path: string) => layer.match(path) }] : [],
  );
}
