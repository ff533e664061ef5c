import { WholeNumber } from '../../../config/environment-rules';

/** Settings for closed accounts. */
export class ClosingConfig {
  /** Days from the closing of an account to the erasure of its content. */
  @WholeNumber(0, 3_650)
  ACCOUNT_ERASE_DAYS = 7;
}
