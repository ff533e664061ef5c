import { RequestMethod } from '@nestjs/common';
import { HTTP_CODE_METADATA, INTERCEPTORS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { AuditInterceptor } from '../../src/common/audit/audit.interceptor';
import { ENVELOPED_METADATA } from '../../src/common/envelope/enveloped.decorator';
import { ACCESS_METADATA } from '../../src/common/security/access.decorator';
import { SCOPE_METADATA } from '../../src/common/security/access.decorator';
import { exportsOf } from '../support/project-files';

interface Route {
  name: string;
  path: string;
  method: RequestMethod;
  handler: object;
  controller: object;
}

/** The metadata keys of @nestjs/swagger, which it does not export. */
const RESPONSES_METADATA = 'swagger/apiResponse';
const EXCLUDED_METADATA = 'swagger/apiExcludeController';

describe('every route', () => {
  let routes: Route[];

  beforeAll(async () => {
    const exported = await exportsOf('.controller.ts');
    routes = exported.filter((value) => typeof value === 'function').flatMap(routesOf);
  });

  it('is found by this test', () => {
    expect(routes.length).toBeGreaterThan(20);
  });

  it('declares who may call it: `@Public()`, `@Authenticated()` or `@AdminOnly()` on it or on its controller', () => {
    const silent = routes.filter(
      ({ handler, controller }) =>
        !Reflect.hasMetadata(ACCESS_METADATA, handler) && !Reflect.hasMetadata(ACCESS_METADATA, controller),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('declares the scope that API keys need, `@KeyScope(…)`, or `@NoKeys()`, unless it is public', () => {
    const declaredBy = ({ handler, controller }: Route): object[] =>
      [handler, controller].filter((place) => Reflect.hasMetadata(SCOPE_METADATA, place));
    const silent = routes.filter((route) => declaredBy(route).length === 0 && !isForEverybody(route));
    expect(silent.map(({ name }) => name)).toEqual([]);
    const open = routes.filter(({ path }) => /^\/auth\b/.test(path)).filter((route) => declaredBy(route).length === 0);
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it('includes the audit of administrators if only they may call it', () => {
    const unaudited = routes
      .filter(({ handler, controller }) => [handler, controller].some(isForAdministrators))
      .filter(({ handler, controller }) => ![handler, controller].some(isAudited));
    expect(unaudited.map(({ name }) => name)).toEqual([]);
  });

  it('answers with 201 if it creates something, as documented, with 302 if it redirects a browser, and otherwise with 200', () => {
    for (const { name, method, handler } of routes.filter(isDocumented)) {
      const usual = method === RequestMethod.POST ? '201' : '200';
      const status = String(Reflect.getMetadata(HTTP_CODE_METADATA, handler) ?? usual);
      const shown = Object.keys(responsesOf(handler)).filter((documented) => /^(20[01]|302)$/.test(documented));
      expect({ name, shown }).toEqual({ name, shown: [status] });
    }
  });

  it('answers in the envelope, by `@Enveloped(…)`, where other routes of its area do, and otherwise without', () => {
    const areaOf = ({ path }: Route) => path.split('/')[1];
    const enveloped = new Set(routes.filter(isEnveloped).map(areaOf));
    enveloped.delete('');
    const others = routes.filter((route) => isEnveloped(route) !== enveloped.has(areaOf(route)));
    expect(others.map(({ name }) => name)).toEqual([]);
  });
});

/** The statuses that its decorators document. */
function responsesOf(handler: object): Record<string, unknown> {
  return (Reflect.getMetadata(RESPONSES_METADATA, handler) as Record<string, unknown> | undefined) ?? {};
}

function isDocumented({ controller }: Route): boolean {
  return !Reflect.hasMetadata(EXCLUDED_METADATA, controller);
}

function isForAdministrators(place: object): boolean {
  return Reflect.getMetadata(ACCESS_METADATA, place) === 'admin';
}

function isForEverybody({ handler, controller }: Route): boolean {
  return [handler, controller].some((place) => Reflect.getMetadata(ACCESS_METADATA, place) === 'public');
}

function isAudited(place: object): boolean {
  const interceptors = (Reflect.getMetadata(INTERCEPTORS_METADATA, place) ?? []) as unknown[];
  return interceptors.includes(AuditInterceptor);
}

function isEnveloped({ handler, controller }: Route): boolean {
  return Reflect.hasMetadata(ENVELOPED_METADATA, handler) || Reflect.hasMetadata(ENVELOPED_METADATA, controller);
}

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
