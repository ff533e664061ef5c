import { Environment } from '../../config/environment.decorator';
import { WholeNumber } from '../../config/environment-rules';

const YEAR_SECONDS = 31_536_000;

/** How long tokens and codes are valid, and how many codes are sent. */
@Environment()
export class AuthConfig {
  /** Seconds that an access token is valid. */
  @WholeNumber(1, YEAR_SECONDS)
  ACCESS_TOKEN_TTL = 3_600;

  /** Seconds from its last use that a refresh token is valid. */
  @WholeNumber(1, YEAR_SECONDS)
  REFRESH_TOKEN_TTL = 2_592_000;

  /** Seconds that a one-time code is valid. */
  @WholeNumber(1, 86_400)
  CODE_TTL = 600;

  /** Seconds between two codes of one purpose to one address. */
  @WholeNumber(0, 3_600)
  CODE_RESEND_SECONDS = 60;

  /** Codes that an address gets in an hour, whatever their purpose. */
  @WholeNumber(1, 1_000_000)
  CODE_PER_ADDRESS_HOURLY = 5;

  /** Codes that an address gets in 24 hours. */
  @WholeNumber(1, 1_000_000)
  CODE_PER_ADDRESS_DAILY = 10;

  /** Codes that a client address may ask for in an hour, for whomever. */
  @WholeNumber(1, 1_000_000)
  CODE_PER_CLIENT_HOURLY = 20;
}
