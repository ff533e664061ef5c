import type { Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { RequestMethod } from '@nestjs/common/enums/request-method.enum';
import type { ModulesContainer } from '@nestjs/core';
import { UnknownRouteController } from '../http/method-not-allowed/unknown-route.controller';
import { SCOPE_METADATA } from '../security/key-scope.decorator';
import { FeatureError } from './feature.error';

interface Route {
  controller: string;
  method: RequestMethod;
  segments: string[];
  /** The scope that an API key needs. */
  scope: string | null | undefined;
}

/**
 * Checks the routes of modules against each other before they are served.
 *
 * @param scopes of API keys that modules declare
 * @param own the classes of the service's own modules; the others are external
 * @throws FeatureError if another route answers a route of an external module, or no module declares a scope
 */
export function checkRoutes(container: ModulesContainer, scopes: readonly string[], own: ReadonlySet<unknown>): void {
  const known: Route[] = [];
  const isOwn = ({ metatype }: { metatype: unknown }): boolean => own.has(metatype);
  const modules = [...container.values()].sort((one, other) => Number(isOwn(other)) - Number(isOwn(one)));
  for (const module of modules) {
    for (const { metatype } of module.controllers.values()) {
      const routes = metatype === UnknownRouteController ? [] : routesOf(metatype as Type<object>);
      for (const route of routes) {
        assertScope(route, scopes);
        if (!isOwn(module)) {
          assertFree(route, known);
        }
      }
      known.push(...routes);
    }
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

function routesOf(controller: Type<object>): Route[] {
  const prototype = controller.prototype as Record<string, object>;
  const ofClass = (key: string): unknown => Reflect.getMetadata(key, controller);
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name] ?? {};
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (method === undefined) {
      return [];
    }
    const paths = Reflect.getMetadata(PATH_METADATA, handler) as string | string[];
    const scope = (Reflect.getMetadata(SCOPE_METADATA, handler) ?? ofClass(SCOPE_METADATA)) as Route['scope'];
    return [paths].flat().flatMap((path) =>
      [ofClass(PATH_METADATA) as string | string[]].flat().map((prefix) => ({
        controller: controller.name,
        method,
        segments: `${prefix}/${path}`.split('/').filter((segment) => segment !== ''),
        scope,
      })),
    );
  });
}
