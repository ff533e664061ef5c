import { WholeNumber } from '../../config/environment-rules';

/** Requests a minute (specification §8). */
export class RateLimitConfig {
  /** Per signed-in user without a paid plan. */
  @WholeNumber(1)
  RATE_LIMIT_NORMAL = 60;

  /** Per user with an active paid plan. */
  @WholeNumber(1)
  RATE_LIMIT_PAID = 120;

  /** Per administrator. */
  @WholeNumber(1)
  RATE_LIMIT_ADMIN = 300;

  /** Per directory that provisions accounts by SCIM. */
  @WholeNumber(1)
  RATE_LIMIT_SCIM = 1_200;

  /** Uploads of files and parts of files, per user. They count against no other budget of the user. */
  @WholeNumber(1)
  RATE_LIMIT_UPLOADS = 300;

  /** Counts of tokens in the Anthropic-compatible API, per user; as many messages of programs about themselves. */
  @WholeNumber(1)
  RATE_LIMIT_COUNT_TOKENS = 120;

  /** Per client address, for requests without a valid access token. */
  @WholeNumber(1)
  RATE_LIMIT_ANONYMOUS = 60;

  /**
   * Per client address on /auth/*, in addition to the caller's budget above. An exchange of a valid refresh token
   * counts against its session instead.
   */
  @WholeNumber(1)
  RATE_LIMIT_AUTH = 30;

  /**
   * Starts of sign-ins with a provider, per client address, which a whole company may share. They count against no
   * other budget.
   */
  @WholeNumber(1)
  RATE_LIMIT_SIGN_IN = 600;
}
