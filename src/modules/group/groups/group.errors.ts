import { ApiError } from '../../../common/errors/api-error';

/** The group does not exist. */
export class GroupNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'GROUP_NOT_FOUND';
  static readonly summary = 'There is no such group. `GET /admin/groups` lists all groups.';
}

/** Another group has this name; case is ignored. */
export class GroupNameTakenError extends ApiError {
  static readonly status = 409;
  static readonly code = 'GROUP_NAME_TAKEN';
  static readonly summary = 'Another group has this name. Choose a different name.';

  constructor() {
    super({ field: 'name', reason: 'taken' });
  }
}

/** A directory manages the group, and finds it by its name. */
export class GroupManagedError extends ApiError {
  static readonly status = 409;
  static readonly code = 'GROUP_MANAGED';
  static readonly summary =
    'A directory manages this group. Rename it there; only the description can be changed here.';
}

/** The user is not in the group. */
export class MemberNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'MEMBER_NOT_FOUND';
  static readonly summary = 'The user is not in this group. `GET /admin/groups/{id}/members` lists its members.';
}

/** An identity provider or its directory granted the membership, and only it can remove it. */
export class MemberManagedError extends ApiError {
  static readonly status = 409;
  static readonly code = 'MEMBER_MANAGED';
  static readonly summary = 'The membership comes from an identity provider or SCIM. Change it there.';
}

/** A retention policy or an active legal hold refers to the group. */
export class GroupInUseError extends ApiError {
  static readonly status = 409;
  static readonly code = 'GROUP_IN_USE';
  static readonly summary =
    'A retention policy or an active legal hold refers to this group. Delete the policy or release the hold first.';
}
