import { isObject } from '../../../integrations/llm/port/anthropic-message';

type Usage = Record<string, unknown>;

/** The usage of several rounds together: numbers are added at every level, and of other values the newest applies. */
export function summedUsage(usages: readonly Usage[]): Usage {
  return usages.reduce<Usage>((sum, usage) => {
    const all = { ...sum };
    for (const [name, count] of Object.entries(usage)) {
      all[name] = added(all[name], count);
    }
    return all;
  }, {});
}

function added(before: unknown, count: unknown): unknown {
  if (typeof before === 'number' && typeof count === 'number') {
    return before + count;
  }
  if (isObject(before) && isObject(count)) {
    return summedUsage([before, count]);
  }
  return count ?? before ?? null;
}
