import type { Principal } from './principal';

/** Finds the caller of an access token that was verified before. The module that verifies tokens provides it. */
export abstract class TokenIdentity {
  /**
   * Undefined when this text was not verified before, or its token has expired since.
   *
   * @param authorization the text of the header `Authorization`
   * @throws ApiError when the user of the token may not call any more.
   */
  abstract principalOf(authorization: string): Promise<Principal> | undefined;
}
