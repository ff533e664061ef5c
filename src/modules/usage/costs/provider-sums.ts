import type { EntityManager } from 'typeorm';
import { addSumsToCounters } from '../../../database/statements/upsert-counters';
import { SUM_COLUMNS, SUMS } from '../reports/usage-totals';
import { COST_OF_ROW } from './cost-sums';

const KEY = ['day', 'user_id', 'provider', 'model'];

/**
 * Rows of the cost ledger with the columns of sums.
 *
 * @param costs their source, as SQL after FROM
 * @param key the columns to group by
 */
export function rowsByProvider(costs: string, key: readonly string[] = KEY): string {
  const counted = (value: string): string => `CASE WHEN is_counted = 1 THEN ${value} ELSE 0 END`;
  return `
    SELECT ${key.join(', ')}, 0 AS chats, 0 AS user_messages,
      CASE WHEN is_counted = 1 AND kind = 'reply' THEN 1 ELSE 0 END AS messages,
      ${counted('prompt_tokens')} AS prompt_tokens, ${counted('completion_tokens')} AS completion_tokens,
      ${counted('prompt_tokens + completion_tokens')} AS tokens,
      CASE WHEN is_failed = 1 THEN 1 ELSE 0 END AS failed_replies, ${COST_OF_ROW}
    FROM ${costs}`;
}

/** Adds rows of the ledger to the sums by provider. */
export async function addToProviders(manager: EntityManager, costs: string): Promise<void> {
  const statement = `SELECT ${KEY.join(', ')}, ${SUMS} FROM (${rowsByProvider(costs)}) AS counted GROUP BY ${KEY.join(', ')}`;
  await addSumsToCounters(manager, 'usage_provider_days', KEY, SUM_COLUMNS, { statement, parameters: [] });
}
