import { RequestMethod } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { ENVELOPED_METADATA } from '../../src/common/envelope/enveloped.decorator';
import { ACCESS_METADATA } from '../../src/common/security/access.decorator';
import { exportsOf } from '../support/project-files';

interface Route {
  name: string;
  path: string;
  method: RequestMethod;
  handler: object;
  controller: object;
}

/** POSTs that create something callers can name; every other one answers 200. */
const CREATING = /^POST \/(chat|agents|webhooks|admin\/users|admin\/providers|agents\/:id\/duplicate)$/;

/** Areas whose bodies are enveloped, and areas whose bodies are bare. */
const ENVELOPED_AREA = /^\/(agents|admin|webhooks)(\/|$)/;
const BARE_AREA = /^\/(auth|chat|user|users)(\/|$)/;

/** Routes that answer a file or text instead of an object. */
const NOT_AN_OBJECT = /^GET \/(agents\/export)$/;

describe('every route', () => {
  let routes: Route[];

  beforeAll(async () => {
    const exported = await exportsOf('.controller.ts');
    routes = exported.filter((value) => typeof value === 'function').flatMap(routesOf);
  });

  it('is found by this test', () => {
    expect(routes.length).toBeGreaterThan(20);
  });

  it('declares who may call it', () => {
    const silent = routes.filter(
      ({ handler, controller }) =>
        !Reflect.hasMetadata(ACCESS_METADATA, handler) && !Reflect.hasMetadata(ACCESS_METADATA, controller),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('answers 201 exactly where it creates something, and else 200', () => {
    for (const { name, path, method, handler } of routes) {
      if (method !== RequestMethod.POST) {
        continue;
      }
      const status = (Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined) ?? 201;
      expect({ name, status }).toEqual({ name, status: CREATING.test(`POST ${path}`) ? 201 : 200 });
    }
  });

  it('answers in the envelope in the areas that have one, and bare elsewhere', () => {
    for (const { name, path, method, handler, controller } of routes) {
      const isEnveloped =
        Reflect.hasMetadata(ENVELOPED_METADATA, handler) || Reflect.hasMetadata(ENVELOPED_METADATA, controller);
      if (ENVELOPED_AREA.test(path) && !NOT_AN_OBJECT.test(`${RequestMethod[method]} ${path}`)) {
        expect({ name, isEnveloped }).toEqual({ name, isEnveloped: true });
      }
      if (BARE_AREA.test(path)) {
        expect({ name, isEnveloped }).toEqual({ name, isEnveloped: false });
      }
    }
  });
});

function routesOf(controller: unknown): Route[] {
  const type = controller as { name: string; prototype: Record<string, unknown> };
  const base = firstPath(Reflect.getMetadata(PATH_METADATA, type));
  return Object.getOwnPropertyNames(type.prototype).flatMap((property) => {
    const handler = type.prototype[property];
    if (property === 'constructor' || typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler)) {
      return [];
    }
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;
    const own = firstPath(Reflect.getMetadata(PATH_METADATA, handler));
    const path = `/${[base, own]
      .map((part) => part.replace(/^\/|\/$/g, ''))
      .filter(Boolean)
      .join('/')}`;
    return [{ name: `${type.name}.${property}`, path, method, handler, controller: type }];
  });
}

function firstPath(metadata: unknown): string {
  const path: unknown = Array.isArray(metadata) ? metadata[0] : metadata;
  return typeof path === 'string' ? path : '';
}
