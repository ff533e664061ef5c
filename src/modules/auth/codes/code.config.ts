import { WholeNumber } from '../../../config/environment-rules';

/** Lifetime of one-time codes, and limits on sending them. */
export class CodeConfig {
  /** Seconds that a one-time code is valid after its last mail, at most three times that in total. */
  @WholeNumber(1, 86_400)
  CODE_TTL = 600;

  /**
   * Seconds between two mails of one purpose to one address. This and the following limits apply to all unknown clients
   * together, and to each known client.
   */
  @WholeNumber(0, 3_600)
  CODE_RESEND_SECONDS = 60;

  /** Most code mails to an address per hour, over all purposes. */
  @WholeNumber(1, 1_000_000)
  CODE_PER_ADDRESS_HOURLY = 5;

  /** Most code mails to an address in 24 hours. */
  @WholeNumber(1, 1_000_000)
  CODE_PER_ADDRESS_DAILY = 10;

  /** Most codes that a client may request per hour, over all addresses. */
  @WholeNumber(1, 1_000_000)
  CODE_PER_CLIENT_HOURLY = 20;
}
