import { ApiError } from '../../common/errors/api-error';

/** The error types of RFC 7644 §3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** A request of a directory violates SCIM, or uses an unsupported feature. */
export class ScimRequestError extends ApiError {
  static readonly status = 400;
  static readonly code = 'SCIM_REQUEST_INVALID';
  static readonly summary = 'The request does not follow SCIM 2.0; `detail` says where.';

  static example(): ScimRequestError {
    return new ScimRequestError('invalidValue', 'The attribute userName is missing.');
  }

  /** @param detail one English sentence for the administrator of the directory */
  constructor(
    readonly scimType: ScimType | null,
    readonly detail: string,
  ) {
    super({ reason: scimType });
  }
}

/** The account or group does not exist, or does not belong to the directory. */
export class ScimNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'SCIM_RESOURCE_NOT_FOUND';
  static readonly summary = 'The directory has not created such an account or group.';
}

/** Another resource has the name, the address or the external id. */
export class ScimNotUniqueError extends ApiError {
  static readonly status = 409;
  static readonly code = 'SCIM_NOT_UNIQUE';
  static readonly summary = 'Another account or group has this name, address or external id.';
}

/** The directory may not do this: the account belongs to an administrator, or the key's provider was deleted. */
export class ScimForbiddenError extends ApiError {
  static readonly status = 403;
  static readonly code = 'SCIM_NOT_ALLOWED';
  static readonly summary =
    'A directory may only suspend the accounts of administrators, and needs the identity provider that its ' +
    'key was created for.';
}
