import { WholeNumber } from '../../config/environment-rules';
import { MOST_DAYS } from './policies/retention-kinds';

const FEWEST_DAYS = 30;

/** Floors of retention policies. */
export class RetentionConfig {
  /** Days for which rows of usage and cost are kept at least, whatever a policy says. */
  @WholeNumber(FEWEST_DAYS, MOST_DAYS)
  LEDGER_MIN_DAYS = 730;

  /** Days for which the audit log is kept at least, whatever a policy says. */
  @WholeNumber(FEWEST_DAYS, MOST_DAYS)
  AUDIT_MIN_DAYS = 730;
}
