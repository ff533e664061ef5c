import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { DocumentedFailure } from './api-error';
import { ENVELOPE, type ErrorDialect } from './error-dialect';
import { errorResponse, exampleOf } from './error-documentation';

/**
 * Documents the failures of one route. `api-docs` adds the failures of the pipeline (tokens, rate limit, malformed
 * input, faults of the service) to every route.
 */
export function ApiErrors(...failures: DocumentedFailure[]): MethodDecorator & ClassDecorator {
  return apiErrorsIn(ENVELOPE, '', failures);
}

/**
 * Documents the failures of a route of another API.
 *
 * @param path of the route, or of one whose failures look the same
 */
export function apiErrorsIn(
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
