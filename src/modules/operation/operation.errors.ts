import { ApiError } from '../../common/errors/api-error';

/** No running instance has the id. */
export class InstanceNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'INSTANCE_NOT_FOUND';
  static readonly summary =
    'No running instance has this id. An id ends with its process: list the instances with `GET /admin/instances`.';
}
