import { ApiError } from './api-error';

/** No route has this path. */
export class NotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'NOT_FOUND';
  static readonly summary = 'There is no route at this path. `/docs` lists all routes.';
}

/** The path exists, but not with this method. The header `Allow` names its methods. */
export class MethodNotAllowedError extends ApiError {
  static readonly status = 405;
  static readonly code = 'METHOD_NOT_ALLOWED';
  static readonly summary = 'The path does not support this method. The `Allow` header lists the supported methods.';
}

/** The header `Accept` excludes every media type that the route can return. */
export class NotAcceptableError extends ApiError {
  static readonly status = 406;
  static readonly code = 'NOT_ACCEPTABLE';
  static readonly summary = 'The route cannot return the requested media type. Accept `application/json`.';
}

/** The body exceeds the limit of the route. */
export class PayloadTooLargeError extends ApiError {
  static readonly status = 413;
  static readonly code = 'PAYLOAD_TOO_LARGE';
  static readonly summary = 'The request body is too large. Send less in one request.';
}

/** The caller sends too many large bodies at once. */
export class TooManyBodiesError extends ApiError {
  static readonly status = 429;
  static readonly code = 'TOO_MANY_CONCURRENT';
  static readonly summary = 'Too many large requests are running for this account. Wait until one of them finishes.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit'],
    properties: {
      limit: { type: 'integer', description: 'Large requests that may run at the same time.', example: 2 },
    },
  };

  static example(): TooManyBodiesError {
    return new TooManyBodiesError(2);
  }

  constructor(limit: number) {
    super({ limit }, { retryAfterSeconds: 5 });
  }

  override get messageKey(): string {
    return 'messages.too_many_bodies';
  }
}

/** The body is not declared as JSON in UTF-8. */
export class UnsupportedMediaTypeError extends ApiError {
  static readonly status = 415;
  static readonly code = 'UNSUPPORTED_MEDIA_TYPE';
  static readonly summary = 'The body must be JSON in UTF-8. Send the header `Content-Type: application/json`.';
}

/** The route needs a form with a file. */
export class MultipartExpectedError extends ApiError {
  static readonly status = 415;
  static readonly code = 'UNSUPPORTED_MEDIA_TYPE';
  static readonly summary = 'The body must be a form with a file. Send it as `multipart/form-data`.';

  override get messageKey(): string {
    return 'messages.multipart_expected';
  }
}

/** The body is not well-formed JSON (RFC 8259). */
export class InvalidJsonError extends ApiError {
  static readonly status = 400;
  static readonly code = 'INVALID_JSON';
  static readonly summary = 'The body is not valid JSON in UTF-8. Check quotes, commas and encoding.';
}

/** The service failed, and the caller did not cause it. The log has the cause under the request id. */
export class InternalError extends ApiError {
  static readonly status = 500;
  static readonly code = 'INTERNAL_ERROR';
  static readonly summary =
    'An unexpected error occurred in the service. Try again, and report the `X-Request-Id` header if the ' +
    'error persists.';
}

/** The service is temporarily unavailable: its database is unreachable, or it is shutting down. */
export class ServiceUnavailableError extends ApiError {
  static readonly status = 503;
  static readonly code = 'SERVICE_UNAVAILABLE';
  static readonly summary = 'The service is temporarily unavailable. Try again after the time in `Retry-After`.';

  /** @param isLogged false if the code that throws it reports it to the operator */
  constructor(cause?: unknown, retryAfterSeconds = 5, isLogged = true) {
    super({}, { cause, retryAfterSeconds, isLogged });
  }
}

/** The service has no capacity for the request, which would take memory or time from running requests. */
export class ServiceOverloadedError extends ApiError {
  static readonly status = 503;
  static readonly code = 'SERVICE_OVERLOADED';
  static readonly summary = 'The service is overloaded. Try again after the time in `Retry-After`.';

  constructor(retryAfterSeconds = 5) {
    super({}, { retryAfterSeconds });
  }
}
