import type { Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import type { RequestMethod } from '@nestjs/common/enums/request-method.enum';
import { type Access, ACCESS_METADATA, SCOPE_METADATA } from '../security/access.decorator';

/** A route as its controller declares it. */
export interface Route {
  controller: string;
  method: RequestMethod;
  segments: string[];
  /** The scope that an API key needs. */
  scope: string | null | undefined;
  access: Access | undefined;
}

/** The routes of a controller, from its decorators. */
export function routesOf(controller: Type<object>): Route[] {
  const prototype = controller.prototype as Record<string, object>;
  const ofClass = (key: string): unknown => Reflect.getMetadata(key, controller);
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name] ?? {};
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (method === undefined) {
      return [];
    }
    const paths = Reflect.getMetadata(PATH_METADATA, handler) as string | string[];
    const either = (key: string): unknown => Reflect.getMetadata(key, handler) ?? ofClass(key);
    return [paths].flat().flatMap((path) =>
      [ofClass(PATH_METADATA) as string | string[]].flat().map((prefix) => ({
        controller: controller.name,
        method,
        segments: `${prefix}/${path}`.split('/').filter((segment) => segment !== ''),
        scope: either(SCOPE_METADATA) as Route['scope'],
        access: either(ACCESS_METADATA) as Route['access'],
      })),
    );
  });
}
