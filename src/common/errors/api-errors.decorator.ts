import { applyDecorators, type Type } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { DocumentedFailure } from './api-error';
import { ENVELOPE, type ErrorDialect } from './error-dialect';
import { errorResponse, type ErrorResponseObject, exampleOf } from './error-documentation';

/** Under this key `@nestjs/swagger` keeps the responses of a route; it does not export the name. */
const RESPONSES = 'swagger/apiResponse';

/**
 * Documents the failures of one route. `api-docs` adds the failures of the pipeline (tokens, rate limit, malformed
 * input, faults of the service) to every route.
 */
export function ApiErrors(...failures: DocumentedFailure[]): MethodDecorator & ClassDecorator {
  return declaredErrors(ENVELOPE, '', failures);
}

/**
 * Documents the failures of a route of another API.
 *
 * @param path of the route, or of one whose failures look the same
 */
export function declaredErrors(
  dialect: ErrorDialect,
  path: string,
  classes: readonly DocumentedFailure[],
): MethodDecorator & ClassDecorator {
  const failures = classes.flatMap((failure) => dialect.documented(failure));
  const statusOf = (failure: DocumentedFailure): number => dialect.status(exampleOf(failure));
  return applyDecorators(
    ...[...new Set(failures.map(statusOf))].map((status) => {
      const sharing = failures.filter((failure) => statusOf(failure) === status);
      return ApiResponse({ status, ...errorResponse(sharing, dialect, path) });
    }),
  );
}

/** The codes of all failures that the routes of a controller document. */
export function documentedCodes(controller: Type<object>): string[] {
  const prototype = controller.prototype as Record<string, object>;
  const handlers = Object.getOwnPropertyNames(prototype).map((name) => prototype[name]);
  return [controller, ...handlers].flatMap((target) => {
    const responses = Reflect.getMetadata(RESPONSES, target ?? {}) as Record<string, object> | undefined;
    return Object.values(responses ?? {}).flatMap((response) =>
      Object.keys((response as Partial<ErrorResponseObject>)['x-codes'] ?? {}),
    );
  });
}
