import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { type DocumentedFailure, errorResponse } from './error-documentation';

/**
 * Documents the failures of one route. `api-docs` adds the failures of the pipeline (tokens, rate limit, malformed
 * input, faults of the service) to every route.
 */
export function ApiErrors(...failures: DocumentedFailure[]): MethodDecorator & ClassDecorator {
  const statuses = [...new Set(failures.map(({ status }) => status))];
  return applyDecorators(
    ...statuses.map((status) =>
      ApiResponse({ status, ...errorResponse(failures.filter((failure) => failure.status === status)) }),
    ),
  );
}
