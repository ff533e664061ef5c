import { WholeNumber } from '../../../config/environment-rules';

const YEAR_SECONDS = 31_536_000;

/** Lifetimes of tokens. */
export class TokenConfig {
  /** Seconds that an access token is valid. */
  @WholeNumber(1, YEAR_SECONDS)
  ACCESS_TOKEN_TTL = 3_600;

  /** Seconds that a refresh token is valid after its last use. */
  @WholeNumber(1, YEAR_SECONDS)
  REFRESH_TOKEN_TTL = 2_592_000;
}
