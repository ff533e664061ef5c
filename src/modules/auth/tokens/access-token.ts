/** Issuer of our tokens, so that those of other services with the same secret are not taken for them. */
export const TOKEN_ISSUER = 'chat-service';

/** Says what the token is for; other kinds of tokens may come to be signed with the same key. */
export const ACCESS_TOKEN_TYPE = 'access';

/** Claims of an access token besides `iat`, `exp`, `jti` and `iss` (RFC 7519 §4.1). */
export interface AccessTokenClaims {
  /** User id, as text. */
  sub: string;
  /** Session id. */
  sid: number;
  typ: typeof ACCESS_TOKEN_TYPE;
}
