import type { OpenAPIObject } from '@nestjs/swagger';
import { openApiDocument } from '../../src/api-docs/openapi-document';
import type { Access } from '../../src/common/security/access.decorator';
import type { RequiredScope } from '../../src/common/security/key-scope.decorator';
import { dereference } from './dereference';
import { failuresOf } from './documented-failures';
import type { TestApp } from './test-app';

/** A route in the OpenAPI document. */
export interface DocumentedRoute {
  /** `GET /api/v1/chat/{chat_id}` */
  name: string;
  /** In upper case. */
  method: string;
  /** With its parameters in braces. */
  path: string;
  access: Access | undefined;
  /** The scope that an API key needs; null: no key may call it. */
  scope: RequiredScope | undefined;
  /** Whether the document shows a lock. */
  isLocked: boolean;
  /** Names of the path parameters. */
  pathParameters: string[];
  /** The errors in the document, as `400 INVALID_JSON`. */
  failures: string[];
  /** Whether the document shows a body. */
  hasBody: boolean;
}

const METHODS = ['get', 'post', 'put', 'delete', 'patch'] as const;

/**
 * All routes of the API; not those for operators outside the versioned prefix.
 *
 * @param prefixes of other routes, to return these
 */
export function documentedRoutes({ app }: Pick<TestApp, 'app'>, prefixes = ['/api/']): DocumentedRoute[] {
  const document = dereference(openApiDocument(app));
  return Object.entries(document.paths)
    .filter(([path]) => prefixes.some((prefix) => path.startsWith(prefix)))
    .flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => toRoute(document, path, method, item[method] ?? {})),
    );
}

/** The path with a value in place of each parameter. */
export function fill(path: string, values: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_match, name: string) => values[name] ?? '999999999');
}

type Operation = Partial<NonNullable<OpenAPIObject['paths'][string]['get']>>;

function toRoute(
  document: OpenAPIObject,
  path: string,
  method: (typeof METHODS)[number],
  operation: Operation,
): DocumentedRoute {
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    access: (operation as { 'x-access'?: Access })['x-access'],
    scope: (operation as { 'x-scope'?: RequiredScope })['x-scope'],
    isLocked: (operation.security ?? []).length > 0,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
    failures: Object.entries(operation.responses ?? {}).flatMap(([status, response]) =>
      failuresOf(document, response).map(({ code }) => `${status} ${code}`),
    ),
    hasBody: operation.requestBody !== undefined,
  };
}
