import { HttpStatus } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ApiErrorClass, DocumentedFailure } from '../common/errors/api-error';
import {
  InternalError,
  NotAcceptableError,
  ServiceOverloadedError,
  ServiceUnavailableError,
} from '../common/errors/common.errors';
import type { ErrorDialect } from '../common/errors/error-dialect';
import type { ErrorDialects } from '../common/errors/error-dialects';
import { errorResponse, type ErrorResponseObject, exampleOf } from '../common/errors/error-documentation';
import { InvalidParameterError, ValidationFailedError } from '../common/errors/validation.errors';
import type { ApiPaths } from '../common/http/api-paths';
import { BODY_ERRORS } from '../common/http/body/body.guard';
import { readsBody } from '../common/http/body/request-body';
import { RateLimitExceededError } from '../common/rate-limit/rate-limit.errors';
import {
  AccountBannedError,
  ApiKeyExpiredError,
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

/** Adds to every operation the failures that the pipeline can return before the handler runs. */
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
    // Also covers a request without a host, which can fail on every path.
    InvalidParameterError,
    ...(isWithBody ? bodyErrors(operation) : []),
    ...(access === 'public'
      ? []
      : [
          UnauthorizedError,
          TokenInvalidError,
          TokenExpiredError,
          SessionRevokedError,
          ApiKeyInvalidError,
          ApiKeyExpiredError,
          AccountBannedError,
          IdentitySuspendedError,
        ]),
    ...(requiredScope(operation) === undefined ? [] : [ScopeRequiredError]),
    ...(access === 'admin' ? [ForbiddenError] : []),
    ...(isOfApi ? [NotAcceptableError, ServiceUnavailableError, ServiceOverloadedError] : []),
    ...(isOfApi && isCounted ? [RateLimitExceededError] : []),
    InternalError,
  ];
}

/**
 * If a route's standard defines its own form for malformed requests, the route also uses that form for invalid fields.
 */
function bodyErrors({ responses }: OperationObject): ApiErrorClass[] {
  const isOfStandard = hasOwnForm(responses[HttpStatus.BAD_REQUEST] as OwnResponse | undefined);
  return isOfStandard ? BODY_ERRORS.filter((error) => error !== ValidationFailedError) : BODY_ERRORS;
}

/** If a standard defines its own form of a failure, the description of the route stays. */
function addErrors(path: string, operation: OperationObject, classes: ApiErrorClass[], dialect: ErrorDialect): void {
  const errors = classes.flatMap((error) => dialect.documented(error));
  const statusOf = (error: DocumentedFailure): number => dialect.status(exampleOf(error));
  for (const status of new Set(errors.map(statusOf))) {
    const sharing = errors.filter((error) => statusOf(error) === status);
    const added = errorResponse(sharing, dialect, path);
    const own = operation.responses[status] as OwnResponse | undefined;
    if (!hasOwnForm(own)) {
      operation.responses[status] = own ? merge(own, added) : added;
    }
  }
}

/** Whether the route describes a failure in another form than that of its API. */
function hasOwnForm(own: OwnResponse | undefined): boolean {
  return own?.content !== undefined && !('x-codes' in own);
}

/** @param own response of the route; one without a body is a page */
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
