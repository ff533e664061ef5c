import type { EntityManager } from 'typeorm';
import type { UtcDay } from '../../../common/utc-day';
import { runForRow } from '../../../database/statements/run-statement';
import { addToCounters } from '../../../database/statements/upsert-counters';
import type { COUNT_COLUMNS } from '../sums/usage-totals';

/** What is added to the sums of a key. */
export type KeyUsage = Partial<Record<(typeof COUNT_COLUMNS)[number], number>>;

/** The user, and the API key that something is used with; null: none. */
interface KeyOfUser {
  userId: number;
  apiKeyId: number | null;
}

const TOKENS_OF_DAY = 'SELECT tokens FROM usage_key_days WHERE day = ? AND user_id = ? AND api_key_id = ?';

/** Counts what was used with a key; nothing when there is no key. Call it after the user's own counters are locked. */
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

/** The tokens that were used with a key on a day. Exact when `countForKey` has locked the row. */
export async function tokensOfKey(
  manager: EntityManager,
  { userId, apiKeyId }: KeyOfUser,
  day: UtcDay,
): Promise<number> {
  const [tokens = 0] = (await runForRow(manager, TOKENS_OF_DAY, [day, userId, apiKeyId])) ?? [];
  return Number(tokens);
}
