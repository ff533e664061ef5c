import { type Amount, parseDecimal } from '../../../common/money/amount';
import { BudgetExceededError } from '../../../common/money/spending.errors';

/** Limits of a reply, in tokens. */
export interface OutputLimits {
  /** The requested limit. */
  most: number;
  /** The smallest limit to which a budget may lower it. */
  least: number;
}

/**
 * Starts a reply. If a hard budget has no room for the requested limit of the reply, it starts with the largest limit
 * that fits.
 *
 * @param start starts it with this limit, in tokens
 * @param costOf the maximum cost of the reply with this limit
 * @throws BudgetExceededError if not even the smallest limit fits, and the errors of `start`
 */
export async function startWithin<Started>(
  { most, least }: OutputLimits,
  start: (outputLimit: number) => Promise<Started>,
  costOf: (outputLimit: number) => Promise<Amount>,
): Promise<Started & { outputLimit: number }> {
  for (let outputLimit = most; ;) {
    try {
      return { ...(await start(outputLimit)), outputLimit };
    } catch (error) {
      const lower =
        error instanceof BudgetExceededError ? await fitting({ most: outputLimit - 1, least }, error, costOf) : null;
      if (lower === null) {
        throw error;
      }
      outputLimit = lower;
    }
  }
}

/** The largest limit whose cost the refusing budget can cover. Null: there is none. */
async function fitting(
  { most, least }: OutputLimits,
  { details }: BudgetExceededError,
  costOf: (outputLimit: number) => Promise<Amount>,
): Promise<number | null> {
  const [whole = 0n, spent = 0n, reserved = 0n] = ['limit', 'spent', 'reserved'].map(
    (name) => parseDecimal(String(details[name])) ?? 0n,
  );
  const room = whole - spent - reserved;
  let [low, high] = [least, most];
  if (high < low || (await costOf(low)) > room) {
    return null;
  }
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    [low, high] = (await costOf(middle)) <= room ? [middle, high] : [low, middle - 1];
  }
  return low;
}
