import type { Type } from '@nestjs/common';
import { RequestMethod } from '@nestjs/common/enums/request-method.enum';
import type { ModulesContainer } from '@nestjs/core';
import { UnknownRouteController } from '../http/method-not-allowed/unknown-route.controller';
import { factsOf } from './feature.decorator';
import { FeatureError } from './feature.error';
import { type Route, routesOf } from './routes-of';

/**
 * Checks the routes of modules against each other before they are served.
 *
 * @param scopes of API keys that modules declare
 * @param own the classes of the service's own modules; the others are external
 * @throws FeatureError if another route answers a route of an external module, no module declares a scope, or the page of
 * a module is not one of its public routes
 */
export function checkRoutes(container: ModulesContainer, scopes: readonly string[], own: ReadonlySet<unknown>): void {
  const known: Route[] = [];
  const isOwn = ({ metatype }: { metatype: unknown }): boolean => own.has(metatype);
  const modules = [...container.values()].sort((one, other) => Number(isOwn(other)) - Number(isOwn(one)));
  for (const module of modules) {
    const ofModule: Route[] = [];
    for (const { metatype } of module.controllers.values()) {
      const routes = metatype === UnknownRouteController ? [] : routesOf(metatype as Type<object>);
      for (const route of routes) {
        assertScope(route, scopes);
        if (!isOwn(module)) {
          assertFree(route, known);
        }
      }
      ofModule.push(...routes);
      known.push(...routes);
    }
    assertPage(module.metatype, ofModule);
  }
}

function assertPage(module: Type<unknown>, routes: readonly Route[]): void {
  const path = factsOf(module)?.page?.path;
  if (path === undefined) {
    return;
  }
  const segments = path.split('/');
  const page = routes.find((route) => isSame(route, { ...route, method: RequestMethod.GET, segments }));
  if (page?.access !== 'public') {
    throw new FeatureError(
      `${module.name} names the page ${path}, but ${page ? 'this route is not public' : `it has no route GET /${path}`}. ` +
        (page ? `Add @Public() to it in ${page.controller}.` : 'Add the route, or correct the path.'),
    );
  }
}

function assertScope({ controller, scope }: Route, scopes: readonly string[]): void {
  if (typeof scope === 'string' && !scopes.includes(scope)) {
    throw new FeatureError(
      `${controller} needs the scope ${scope}, which no module declares. Name it in the scopes of its @Feature.`,
    );
  }
}

function assertFree(route: Route, known: readonly Route[]): void {
  const other = known.find((one) => one.controller !== route.controller && isSame(one, route));
  if (other) {
    const name = `${RequestMethod[route.method]} /${route.segments.join('/')}`;
    throw new FeatureError(
      `${route.controller} has the route ${name}, which ${other.controller} answers already. Give it another path.`,
    );
  }
}

/** Whether a path can match both routes. */
function isSame(one: Route, other: Route): boolean {
  const isParameter = (segment = ''): boolean => segment.startsWith(':');
  return (
    one.method === other.method &&
    one.segments.length === other.segments.length &&
    one.segments.every((segment, index) => {
      const opposite = other.segments[index];
      return isParameter(segment) || isParameter(opposite) || segment.toLowerCase() === opposite?.toLowerCase();
    })
  );
}
