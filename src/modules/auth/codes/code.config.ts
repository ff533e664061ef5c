import { WholeNumber } from '../../../config/environment-rules';

/** How long one-time codes are valid, and how many are sent. */
export class CodeConfig {
  /** Seconds that a one-time code is valid from its last mail, three times that at most. */
  @WholeNumber(1, 86_400)
  CODE_TTL = 600;

  /** Seconds between two mails of one purpose to one address. The limits below hold for all strangers, and for each known client. */
  @WholeNumber(0, 3_600)
  CODE_RESEND_SECONDS = 60;

  /** Mails with codes that an address gets in an hour, whatever their purpose. */
  @WholeNumber(1, 1_000_000)
  CODE_PER_ADDRESS_HOURLY = 5;

  /** Mails with codes that an address gets in 24 hours. */
  @WholeNumber(1, 1_000_000)
  CODE_PER_ADDRESS_DAILY = 10;

  /** Codes that a client may ask for in an hour, whatever addresses they are for. */
  @WholeNumber(1, 1_000_000)
  CODE_PER_CLIENT_HOURLY = 20;
}
