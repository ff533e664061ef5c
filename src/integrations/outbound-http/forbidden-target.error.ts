/** Why a URL must not be called. `unresolved` passes by itself when the name comes to exist. */
export type ForbiddenTargetReason =
  | 'https_required'
  | 'scheme_not_allowed'
  | 'user_info_not_allowed'
  | 'port_not_allowed'
  | 'address_not_public'
  | 'unresolved';

/** A request was refused before a connection was made. */
export class ForbiddenTargetError extends Error {
  override readonly name = 'ForbiddenTargetError';
  readonly code = 'FORBIDDEN_TARGET';

  constructor(readonly reason: ForbiddenTargetReason) {
    super(`The target of the request is refused: ${reason}.`);
  }
}
