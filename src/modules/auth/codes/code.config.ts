import { Environment } from '../../../config/environment.decorator';
import { WholeNumber } from '../../../config/environment-rules';

/** How long one-time codes are valid, and how many are sent. */
@Environment()
export class CodeConfig {
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

  /** Codes that a client address may ask for in an hour, whatever addresses they are for. */
  @WholeNumber(1, 1_000_000)
  CODE_PER_CLIENT_HOURLY = 20;
}
