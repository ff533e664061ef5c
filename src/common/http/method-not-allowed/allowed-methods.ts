import type { Application } from 'express';
import { UNKNOWN_ROUTE } from './unknown-route.path';

/** What this file reads of a layer of Express' router; its own types leave `match` and `methods` out. */
interface RouteLayer {
  match(path: string): unknown;
  route?: { path: unknown; methods: Record<string, boolean | undefined> };
}

/**
 * The methods that a path answers, sorted, as for the header `Allow` (RFC 9110 §10.2.1): those of its routes, HEAD
 * where there is GET, and OPTIONS. Empty when the path has no route; catch-all routes count for nothing.
 *
 * @param path decodable path without query
 */
export function allowedMethods(application: Application, path: string): string[] {
  const methods = new Set<string>();
  for (const { route, match } of routeLayers(application)) {
    if (!isCatchAll(route) && match(path)) {
      Object.keys(route.methods).forEach((method) => methods.add(method.toUpperCase()));
    }
  }
  if (methods.size === 0) {
    return [];
  }
  if (methods.has('GET')) {
    methods.add('HEAD');
  }
  return [...methods.add('OPTIONS')].sort();
}

/** `app.all()` answers every method that Node knows, CONNECT among them, which no ordinary route has. */
function isCatchAll(route: NonNullable<RouteLayer['route']>): boolean {
  return route.path === UNKNOWN_ROUTE || route.methods.connect === true || route.methods._all === true;
}

function routeLayers(
  application: Application,
): { route: NonNullable<RouteLayer['route']>; match: RouteLayer['match'] }[] {
  const layers = application.router.stack as unknown as RouteLayer[];
  return layers.flatMap((layer) =>
    layer.route ? [{ route: layer.route, match: (path: string) => layer.match(path) }] : [],
  );
}
