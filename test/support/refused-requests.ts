import { parse } from 'node:querystring';
import type { ArgumentMetadata, ExecutionContext, PipeTransform, Type } from '@nestjs/common';
import { METHOD_METADATA, MODULE_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RequestMethod } from '@nestjs/common/enums/request-method.enum';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { Reflector } from '@nestjs/core';
import { ErrorDialects } from '../../src/common/errors/error-dialects';
import { toApiError } from '../../src/common/errors/to-api-error';
import { type BodyRules, bodyRulesOf, RewriteBody } from '../../src/common/http/body/body-rules.decorator';
import { FormBody, JsonBody } from '../../src/common/http/body/json-body';
import { Scopes } from '../../src/common/security/scopes';
import { RequestValidationPipe } from '../../src/common/validation/request-validation.pipe';
import { ApiKeyModule } from '../../src/modules/api-key/api-key.module';
import { EventFeedModule } from '../../src/modules/event-feed/event-feed.module';
import { WebhookModule } from '../../src/modules/webhook/webhook.module';
import { serviceEvents, serviceFeatures, speakAsService } from './service-features';

/** The first fault of a request, and all of them. */
export interface Faults {
  field: string;
  reason: string;
  errors: { field: string; reason: string }[];
}

interface Refusal {
  status: number;
  body: { error: { code: string; message: string; details: object; param: string | null } };
}

/** A handler that may answer a request, and the segments of its path. */
interface Route {
  controller: Type<object>;
  name: string;
  segments: string[];
}

/** The parts of a request that handlers get. */
type Parts = Record<'body' | 'query' | 'param', unknown>;

const PARTS: Record<string, keyof Parts> = {
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.PARAM]: 'param',
};

const reflector = new Reflector();
const globalPipe = new RequestValidationPipe();
const dialects = new ErrorDialects(serviceFeatures);
const controllers = [...serviceFeatures.classes].flatMap((module) =>
  listOf<Type<object>>(MODULE_METADATA.CONTROLLERS, module as object),
);

speakAsService();
// These modules complete the rules of their DTOs with the scopes and events of all modules.
new ApiKeyModule(new Scopes(serviceFeatures));
new WebhookModule(serviceEvents);
new EventFeedModule(serviceEvents);

/**
 * The faults of a body that a route refuses with 422. The body is parsed and checked as in the service, which is not
 * started.
 *
 * @param route such as `PUT /admin/users/1`
 * @param body a value to send as JSON; undefined: no body
 */
export function refuseBody(route: string, body: unknown): Promise<Faults> {
  return refuseJson(route, body === undefined ? '' : JSON.stringify(body));
}

/** The same for a text that `JSON.stringify` cannot write. */
export async function refuseJson(route: string, json: string): Promise<Faults> {
  return faultsOf(await refuse(route, 422, (rules) => new JsonBody(rules), json));
}

/** The same for a form. */
export async function refuseForm(route: string, form: string): Promise<Faults> {
  return faultsOf(await refuse(route, 422, (rules) => new FormBody(rules), form));
}

/** The faults of a path and its query that a route refuses with 400. @param route such as `GET /chat?limit=0` */
export async function refuseParameters(route: string): Promise<Faults> {
  return faultsOf(await refuse(route, 400));
}

/** The code and the parameter for a body that an OpenAI-compatible route refuses with 400. */
export async function refuseOpenAiBody(route: string, body: unknown): Promise<{ code: string; param: string | null }> {
  const { code, param, message } = await refuse(route, 400, (rules) => new JsonBody(rules), JSON.stringify(body));
  // The message names a location like `param` does: `messages[0].content`.
  expect(message).not.toMatch(/\w\.\d+[.”]/);
  return { code, param };
}

function faultsOf({ code, details }: Refusal['body']['error']): Faults {
  expect(code).toBe('VALIDATION_ERROR');
  return details as Faults;
}

async function refuse(
  request: string,
  status: number,
  parserOf?: (rules: BodyRules) => FormBody | JsonBody,
  text = '',
): Promise<Refusal['body']['error']> {
  const [method = '', address = ''] = request.split(' ');
  const [path = '', query = ''] = address.split('?');
  const route = routeOf(method, path);
  const readParts = (): Parts => ({
    body: parserOf && readBody(route, parserOf, text),
    query: { ...parse(query) },
    param: parametersOf(route, path),
  });
  const failure = await readArguments(route, readParts).then(() => null, toApiError);
  if (failure === null) throw new Error(`${request} accepts this: ${text.slice(0, 200)}`);
  const dialect = dialects.of(path);
  expect({ request, status: dialect.status(failure) }).toEqual({ request, status });
  const { error } = dialect.body(failure, 'en', path) as Refusal['body'];
  expect(error.message).not.toMatch(/\{\{|NaN/);
  return error;
}

function readBody(route: Route, parserOf: (rules: BodyRules) => FormBody | JsonBody, text: string): unknown {
  const [getHandler, getClass] = [() => handlerOf(route), () => route.controller] as const;
  const context: Partial<ExecutionContext> = { getHandler, getClass: getClass as ExecutionContext['getClass'] };
  const parser = parserOf(bodyRulesOf(reflector, context as ExecutionContext));
  parser.add(Buffer.from(text));
  const rewrite = reflector.get(RewriteBody, handlerOf(route)) as ((body: unknown) => unknown) | undefined;
  const body = text === '' ? undefined : parser.parse();
  return rewrite ? rewrite(body) : body;
}

/** Passes each argument of the handler through the pipes of the service and its own, as Nest does. */
async function readArguments(route: Route, readParts: () => Parts): Promise<void> {
  const parts = readParts();
  const types = Reflect.getMetadata('design:paramtypes', route.controller.prototype as object, route.name) as Type[];
  const declared = Reflect.getMetadata(ROUTE_ARGS_METADATA, route.controller, route.name) as Record<
    string,
    { index: number; data?: string; pipes: (PipeTransform | Type<PipeTransform>)[] }
  >;
  const read = Object.entries(declared).map(async ([key, { index, data, pipes }]) => {
    const type = PARTS[key.split(':')[0] ?? ''];
    if (type === undefined) return;
    const metadata: ArgumentMetadata = { type, data, metatype: types[index] };
    let value = data === undefined ? parts[type] : (parts[type] as Record<string, unknown>)[data];
    for (const pipe of [globalPipe, ...pipes.map((one) => (typeof one === 'function' ? new one() : one))]) {
      value = (await pipe.transform(value, metadata)) as unknown;
    }
  });
  await Promise.all(read);
}

/** The handler that answers a path. Paths with fixed segments win against those with parameters. */
function routeOf(method: string, path: string): Route {
  const segments = segmentsOf(path);
  const isFixed = ({ segments: own }: Route): number => own.filter((segment) => !segment.startsWith(':')).length;
  const [route] = controllers
    .flatMap((controller) => routesOf(controller, method))
    .filter((one) => fits(one.segments, segments))
    .sort((one, other) => isFixed(other) - isFixed(one));
  if (!route) throw new Error(`No route answers ${method} ${path}.`);
  return route;
}

function routesOf(controller: Type<object>, method: string): Route[] {
  const names = Object.getOwnPropertyNames(controller.prototype);
  const handlers = names.filter((name) => {
    const declared = Reflect.getMetadata(METHOD_METADATA, handlerOf({ controller, name })) as RequestMethod | undefined;
    return declared !== undefined && RequestMethod[declared] === method;
  });
  return handlers.flatMap((name) =>
    listOf<string>(PATH_METADATA, controller).flatMap((prefix) =>
      listOf<string>(PATH_METADATA, handlerOf({ controller, name })).map((path) => ({
        controller,
        name,
        segments: segmentsOf(`${prefix}/${path}`),
      })),
    ),
  );
}

function handlerOf({ controller, name }: Pick<Route, 'controller' | 'name'>): () => void {
  return (controller.prototype as Record<string, () => void>)[name]!;
}

/** Metadata that is one value or a list. */
function listOf<Value>(key: string, place: object): Value[] {
  return [(Reflect.getMetadata(key, place) ?? []) as Value | Value[]].flat() as Value[];
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function fits(pattern: string[], segments: string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((segment, index) => segment.startsWith(':') || segment === segments[index])
  );
}

function parametersOf({ segments }: Route, path: string): Record<string, string> {
  const sent = segmentsOf(path);
  return Object.fromEntries(
    segments.flatMap((segment, index) =>
      segment.startsWith(':') ? [[segment.slice(1), decodeURIComponent(sent[index] ?? '')]] : [],
    ),
  );
}
