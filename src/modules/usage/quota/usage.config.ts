import { WholeNumber } from '../../../config/environment-rules';

const MOST_MESSAGES = 1_000_000_000;

/** One pebibyte. */
const MOST_MEBIBYTES = 1_073_741_824;

/**
 * Quotas at the first start. All but those of storage apply per UTC day. Afterwards administrators change them for
 * each plan.
 */
export class UsageConfig {
  /** Messages that users without a plan may send. */
  @WholeNumber(0, MOST_MESSAGES)
  QUOTA_FREE_MESSAGES = 50;

  /** Tokens, including prompts, that users without a plan may use. */
  @WholeNumber(0)
  QUOTA_FREE_TOKENS = 100_000;

  /** Messages that paying users may send. */
  @WholeNumber(0, MOST_MESSAGES)
  QUOTA_PAID_MESSAGES = 1_000;

  /** Tokens, including prompts, that paying users may use. */
  @WholeNumber(0)
  QUOTA_PAID_TOKENS = 5_000_000;

  /** Files and items that users without a plan may store, in MiB. */
  @WholeNumber(0, MOST_MEBIBYTES)
  QUOTA_FREE_STORAGE_MB = 100;

  /** Files and items that paying users may store, in MiB. */
  @WholeNumber(0, MOST_MEBIBYTES)
  QUOTA_PAID_STORAGE_MB = 5_000;

  /** Tokens that users without a plan may embed. */
  @WholeNumber(0)
  QUOTA_FREE_EMBEDDING_TOKENS = 1_000_000;

  /** Tokens that paying users may embed. */
  @WholeNumber(0)
  QUOTA_PAID_EMBEDDING_TOKENS = 20_000_000;
}
