import type { Application, Router } from 'express';

/** So many segments of a path decide which routes are tried: `api`, `v1`, and the first of the route. */
const SEGMENTS = 3;

/** Characters of patterns in the paths of routes (path-to-regexp 8). */
const PATTERN = /[:*{}()[\]?+!\\]/;

/** The members of a router layer that this file reads. Express' types do not include them. */
interface RouteLayer {
  route?: { path: unknown };
}

/**
 * Lets Express try only the routes that can match. It compares a path with all routes, one after the other, so each
 * route of a feature would slow down the routes after it. Here the routes are grouped by the first segments of their
 * paths. The order stays the same, and middleware belongs to every group.
 *
 * @borrowed routes
 */
export function indexRoutes({ router }: Application): void {
  const { handle } = router as unknown as { handle: (this: Router, ...parameters: unknown[]) => void };
  let groups = new Map<string, Router>();
  let indexed = 0;
  Object.assign(router, {
    handle(request: { url: string }, ...more: unknown[]): void {
      if (router.stack.length !== indexed) {
        groups = groupsOf(router);
        indexed = router.stack.length;
      }
      handle.call(groups.get(startOf(request.url)) ?? router, request, ...more);
    },
  });
}

/** Routers with some layers of another, by the starts of the paths that they handle. */
function groupsOf(router: Router): Map<string, Router> {
  const layers = router.stack as unknown as RouteLayer[];
  const starts = layers.map(literalStart);
  const groups = new Map<string, Router>();
  for (const start of starts.filter(({ length }) => length > 0)) {
    const stack = layers.filter((_, index) => (starts[index] ?? []).every((one, at) => (start[at] ?? one) === one));
    groups.set(start.join('/'), Object.create(router, { stack: { value: stack } }) as Router);
  }
  return groups;
}

/** The first segments of a route's path without a pattern, as Express compares them: it ignores case. */
function literalStart({ route }: RouteLayer): string[] {
  if (typeof route?.path !== 'string') {
    return [];
  }
  const segments = route.path
    .toLowerCase()
    .split('/')
    .slice(1, SEGMENTS + 1);
  const pattern = segments.findIndex((segment) => PATTERN.test(segment));
  return pattern === -1 ? segments : segments.slice(0, pattern);
}

/** The first segments of a request's path. */
function startOf(url: string): string {
  let end = 0;
  for (let segment = 0; segment < SEGMENTS && end !== -1; segment++) {
    end = url.indexOf('/', end + 1);
  }
  const start = end === -1 ? url : url.slice(0, end);
  const query = start.search(/[?#]/);
  return (query === -1 ? start : start.slice(0, query)).slice(1).toLowerCase();
}
