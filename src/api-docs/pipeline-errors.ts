import type { OpenAPIObject } from '@nestjs/swagger';
import type { ApiErrorClass } from '../common/errors/api-error';
import { InternalError, NotAcceptableError, ServiceUnavailableError } from '../common/errors/common.errors';
import type { ErrorDialect } from '../common/errors/error-dialect';
import type { ErrorDialects } from '../common/errors/error-dialects';
import { errorResponse, type ErrorResponseObject, exampleOf } from '../common/errors/error-documentation';
import { InvalidParameterError } from '../common/errors/validation.errors';
import type { ApiPaths } from '../common/http/api-paths';
import { BODY_ERRORS } from '../common/http/body/body.guard';
import { readsBody } from '../common/http/body/body-receiver';
import { RateLimitExceededError } from '../common/rate-limit/rate-limit.errors';
import {
  AccountBannedError,
  ApiKeyInvalidError,
  ForbiddenError,
  IdentitySuspendedError,
  ScopeRequiredError,
  SessionRevokedError,
  TokenExpiredError,
  TokenInvalidError,
  UnauthorizedError,
} from '../common/security/security.errors';
import { requiredScope } from './key-access';
import { type OperationObject, operationsOf } from './operations';

/** Adds to every operation the failures that the pipeline can answer before the handler runs. */
export function documentPipelineErrors(document: OpenAPIObject, paths: ApiPaths, dialects: ErrorDialects): void {
  for (const { path, method, operation } of operationsOf(document)) {
    const errors = pipelineErrors(operation, { isOfApi: paths.includes(path), isWithBody: readsBody(method) });
    addErrors(path, operation, errors, dialects.of(path));
  }
}

function pipelineErrors(
  operation: OperationObject,
  { isOfApi, isWithBody }: { isOfApi: boolean; isWithBody: boolean },
): ApiErrorClass[] {
  const { 'x-access': access, 'x-rate-limited': isCounted = true } = operation as {
    'x-access'?: string;
    'x-rate-limited'?: boolean;
  };
  return [
    // Also the failure of a request without a host, which every path can have.
    InvalidParameterError,
    ...(isWithBody ? BODY_ERRORS : []),
    ...(access === 'public'
      ? []
      : [
          UnauthorizedError,
          TokenInvalidError,
          TokenExpiredError,
          SessionRevokedError,
          ApiKeyInvalidError,
          AccountBannedError,
          IdentitySuspendedError,
        ]),
    ...(requiredScope(operation) === undefined ? [] : [ScopeRequiredError]),
    ...(access === 'admin' ? [ForbiddenError] : []),
    ...(isOfApi ? [NotAcceptableError, ServiceUnavailableError] : []),
    ...(isOfApi && isCounted ? [RateLimitExceededError] : []),
    InternalError,
  ];
}

function addErrors(path: string, operation: OperationObject, errors: ApiErrorClass[], dialect: ErrorDialect): void {
  const statusOf = (error: ApiErrorClass): number => dialect.status(exampleOf(error));
  for (const status of new Set(errors.map(statusOf))) {
    const sharing = errors.filter((error) => statusOf(error) === status);
    const added = errorResponse(sharing, dialect, path);
    const own = operation.responses[status] as OwnResponse | undefined;
    operation.responses[status] = own ? merge(own, added) : added;
  }
}

/** @param own of the route; one without a body is a page */
function merge(own: OwnResponse, added: ErrorResponseObject): ErrorResponseObject {
  const examples = own.content?.['application/json'].examples ?? {};
  const content = {
    schema: added.content['application/json'].schema,
    examples: { ...added.content['application/json'].examples, ...examples },
  };
  const known = Object.keys(examples);
  const news = added.description.split('\n\n').filter((line) => !known.some((code) => line.startsWith(`\`${code}\``)));
  return {
    description: [own.description, ...news].join('\n\n'),
    content: { 'application/json': content },
    'x-codes': { ...added['x-codes'], ...own['x-codes'] },
  };
}

type OwnResponse = Pick<ErrorResponseObject, 'description'> & Partial<ErrorResponseObject>;
