import type { Principal } from './principal';

/** Finds the caller of an access token that was verified earlier. The module that verifies tokens provides it. */
export abstract class TokenIdentity {
  /**
   * Undefined if this text was not verified earlier, or its token has expired since.
   *
   * @param authorization the text of the header `Authorization`
   * @throws ApiError if the user of the token may no longer call
   */
  abstract principalOf(authorization: string): Promise<Principal> | undefined;
}

/** With this, the tokens of pages of features begin. */
export const PAGE_TOKEN_PREFIX = 'pt_';

/** Finds the caller of a token that the console gave to the page of a feature. The module that issues them provides it. */
export abstract class PageTokenIdentity {
  /**
   * @param page the page of the feature to which the route belongs; undefined: the feature has none
   * @throws TokenInvalidError also if the token is for the page of another feature; TokenExpiredError
   * @throws SessionRevokedError, AccountBannedError
   */
  abstract principalOf(token: string, page: string | undefined): Promise<Principal>;
}
