import { ApiError } from '../../common/errors/api-error';

/** What RFC 7644 §3.12 calls the kinds of faults of a request. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** A request of a directory that does not follow SCIM, or asks for what is not offered. */
export class ScimRequestError extends ApiError {
  static readonly status = 400;
  static readonly code = 'SCIM_REQUEST_INVALID';
  static readonly summary = 'The request does not follow SCIM 2.0; `detail` says where.';

  static example(): ScimRequestError {
    return new ScimRequestError('invalidValue', 'The attribute userName is missing.');
  }

  /** @param detail one English sentence, which the administrator of the directory reads */
  constructor(
    readonly scimType: ScimType | null,
    readonly detail: string,
  ) {
    super({ reason: scimType });
  }
}

/** There is no such account or group, or it is not the directory's. */
export class ScimNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'SCIM_RESOURCE_NOT_FOUND';
  static readonly summary = 'The directory has not created such an account or group.';
}

/** Somebody has the name, the address or the external id. */
export class ScimNotUniqueError extends ApiError {
  static readonly status = 409;
  static readonly code = 'SCIM_NOT_UNIQUE';
  static readonly summary = 'Another account or group has this name, address or external id.';
}

/** The directory may not do this: the account is an administrator's, or the key's provider is gone. */
export class ScimForbiddenError extends ApiError {
  static readonly status = 403;
  static readonly code = 'SCIM_NOT_ALLOWED';
  static readonly summary =
    'A directory may only suspend the accounts of administrators, and needs the identity provider that its ' +
    'key was created for.';
}
