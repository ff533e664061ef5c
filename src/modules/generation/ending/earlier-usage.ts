import { addAmounts, formatAmount, parseDecimal } from '../../../common/money/amount';
import { addParts, addUsage, type ReplyTokenUsage } from '../../../common/token-usage';

/** What a reply used together with its earlier rounds. */
export function withEarlier(usage: ReplyTokenUsage, earlier: ReplyTokenUsage | null): ReplyTokenUsage {
  if (earlier === null) {
    return usage;
  }
  const currency = usage.currency ?? earlier.currency;
  const cost = addAmounts(amountOf(usage.cost), amountOf(earlier.cost));
  return {
    ...addUsage(usage, earlier),
    ...addParts(usage, earlier),
    isEstimated: usage.isEstimated || earlier.isEstimated,
    model: usage.model ?? earlier.model,
    ...(currency !== undefined && { cost: formatAmount(cost), currency }),
  };
}

function amountOf(cost: string | null | undefined): bigint | null {
  return typeof cost === 'string' ? parseDecimal(cost) : null;
}
