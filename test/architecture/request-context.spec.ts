import { CUSTOM_ROUTE_ARGS_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { ACCESS_METADATA } from '../../src/common/security/access.decorator';
import { CurrentContext, PublicRequestContext, RequestContext } from '../../src/common/security/request-context';
import { exportsOf } from '../support/project-files';

interface Parameter {
  index: number;
  factory?: unknown;
}

interface Handler {
  name: string;
  access: unknown;
  /** The class that the handler declares for its request context. */
  takes: unknown;
}

describe('a handler that takes the request context', () => {
  let handlers: Handler[];

  beforeAll(async () => {
    const controllers = (await exportsOf('.controller.ts')).filter((value) => typeof value === 'function');
    handlers = controllers.flatMap(handlersOf);
  });

  it('is found by this test', () => {
    expect(handlers.length).toBeGreaterThan(10);
  });

  it('declares a signed-in caller if its route requires one, and otherwise an optional one', () => {
    const takes = (type: unknown) => handlers.filter((handler) => handler.takes === type);
    const isPublic = ({ access }: Handler) => access === 'public';
    const untold = handlers.filter((handler) => handler.takes !== RequestContext && !isPublic(handler));
    expect(untold.map(({ name }) => name)).toEqual([]);
    expect(takes(RequestContext).filter(isPublic)).toEqual([]);
    expect(takes(PublicRequestContext).length + takes(RequestContext).length).toBe(handlers.length);
  });
});

function handlersOf(controller: unknown): Handler[] {
  const type = controller as { name: string; prototype: Record<string, object> };
  return Object.getOwnPropertyNames(type.prototype).flatMap((property) => {
    const handler = type.prototype[property];
    const types = Reflect.getMetadata('design:paramtypes', type.prototype, property) as unknown[] | undefined;
    const access: unknown =
      Reflect.getMetadata(ACCESS_METADATA, handler ?? {}) ?? Reflect.getMetadata(ACCESS_METADATA, type);
    return customParameters(type, property)
      .filter(({ factory }) => factory === currentContextFactory())
      .map(({ index }) => ({ name: `${type.name}.${property}`, access, takes: types?.[index] }));
  });
}

function customParameters(type: object, property: string): Parameter[] {
  const all = (Reflect.getMetadata(ROUTE_ARGS_METADATA, type, property) ?? {}) as Record<string, Parameter>;
  return Object.entries(all).flatMap(([key, parameter]) => (key.includes(CUSTOM_ROUTE_ARGS_METADATA) ? parameter : []));
}

/** The metadata that only `@CurrentContext()` leaves at a parameter. */
function currentContextFactory(): unknown {
  class Probe {}
  CurrentContext()(Probe.prototype, 'probe', 0);
  return customParameters(Probe, 'probe')[0]?.factory;
}
