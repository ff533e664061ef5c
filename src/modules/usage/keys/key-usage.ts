import type { EntityManager } from 'typeorm';
import type { UtcDay } from '../../../common/utc-day';
import { runForRow } from '../../../database/statements/run-statement';
import { addToCounters } from '../../../database/statements/upsert-counters';
import type { COUNT_COLUMNS } from '../reports/usage-totals';

/** Increments of a key's sums. */
export type KeyUsage = Partial<Record<(typeof COUNT_COLUMNS)[number], number>>;

/** The user, and the API key of the request. The key is null if none was used. */
interface KeyOfUser {
  userId: number;
  apiKeyId: number | null;
}

const TOKENS_OF_DAY = 'SELECT tokens FROM usage_key_days WHERE day = ? AND user_id = ? AND api_key_id = ?';

/** Counts usage of a key. Does nothing without a key. Call it after the user's own counters are locked. */
export async function countForKey(
  manager: EntityManager,
  { userId, apiKeyId }: KeyOfUser,
  day: UtcDay,
  usage: KeyUsage,
): Promise<void> {
  if (apiKeyId !== null) {
    const key = { day, user_id: userId, api_key_id: apiKeyId };
    await addToCounters(manager, 'usage_key_days', key, { ...usage });
  }
}

/** Tokens used with a key on a day. Exact if `countForKey` has locked the row. */
export async function tokensOfKey(
  manager: EntityManager,
  { userId, apiKeyId }: KeyOfUser,
  day: UtcDay,
): Promise<number> {
  const [tokens = 0] = (await runForRow(manager, TOKENS_OF_DAY, [day, userId, apiKeyId])) ?? [];
  return Number(tokens);
}
