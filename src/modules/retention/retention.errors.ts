import { ApiError } from '../../common/errors/api-error';

/** The policy does not exist. */
export class RetentionNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'RETENTION_NOT_FOUND';
  static readonly summary = 'There is no such policy. `GET /admin/retention` lists all policies.';
}

/** There is a policy for the same scope and kind already. */
export class RetentionExistsError extends ApiError {
  static readonly status = 409;
  static readonly code = 'RETENTION_EXISTS';
  static readonly summary = 'There is a policy for this scope and kind. Change it with `PUT /admin/retention/{id}`.';
}

/** A sweep is running on this instance or on another one. */
export class RetentionRunningError extends ApiError {
  static readonly status = 409;
  static readonly code = 'RETENTION_RUNNING';
  static readonly summary = 'A sweep is running. Wait for its end: `GET /admin/retention/sweeps` shows it.';
}

/** The operator has paused all scheduled deletion. */
export class RetentionPausedError extends ApiError {
  static readonly status = 409;
  static readonly code = 'RETENTION_PAUSED';
  static readonly summary = 'Retention is paused. Remove `RETENTION_PAUSED` and restart the service.';
}
