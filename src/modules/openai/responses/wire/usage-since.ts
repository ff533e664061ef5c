import { formatAmount, parseDecimal } from '../../../../common/money/amount';
import type { ReplyTokenUsage } from '../../../../common/token-usage';

/** The usage between two points of a reply; null: unknown. */
export function usageSince(usage: ReplyTokenUsage | null, before: ReplyTokenUsage | null): ReplyTokenUsage | null {
  if (usage === null || before === null) {
    return usage;
  }
  const { prompt, completion, total, cached, cacheWrite = 0, reasoning } = usage;
  return {
    ...usage,
    prompt: prompt - before.prompt,
    completion: completion - before.completion,
    total: total - before.total,
    cached: cached - before.cached,
    // An earlier version did not sum it over the parts of a reply.
    cacheWrite: Math.max(0, cacheWrite - (before.cacheWrite ?? 0)),
    reasoning: reasoning - before.reasoning,
    ...(usage.cost !== undefined && { cost: costSince(usage.cost, before.cost) }),
  };
}

function costSince(cost: string | null, before: string | null | undefined): string | null {
  const [all, earlier] = [cost, before ?? null].map((text) => (text === null ? null : parseDecimal(text)));
  return all === null || all === undefined || earlier === null || earlier === undefined
    ? null
    : formatAmount(all - earlier);
}
