import { COST_OF_NOTHING, COST_OF_ROW } from '../costs/cost-sums';

/**
 * SQL with one row for each message, created chat and model request to count: `day`, `user_id`, `agent_id`, `model`
 * (empty if none was used), `first_token_ms` (null if there is none), the columns `SUM_COLUMNS`, and `replies`.
 */
export type CountedRows = string;

/**
 * The rows that the sums do not include yet. Read together with the sums in one statement, the result is always exact.
 */
export const UNSUMMED: CountedRows = countedRows({
  entries: 'usage_entries WHERE unsummed = 1',
  chats: 'usage_new_chats',
  costs: 'usage_costs WHERE unsummed = 1',
});

/** Sources of rows, as SQL after FROM. An absent source has no rows. */
export interface CountedTables {
  /** Source for `usage_entries`. */
  entries?: string;
  /** Source for `usage_new_chats`. */
  chats?: string;
  /** Source for `usage_costs`. */
  costs?: string;
}

export function countedRows({ entries, chats, costs }: CountedTables): CountedRows {
  return [entries && countedEntries(entries), chats && countedChats(chats), costs && countedCosts(costs)]
    .filter((rows) => rows !== undefined)
    .join(' UNION ALL ');
}

function countedEntries(entries: string): CountedRows {
  return `
    SELECT day, user_id, agent_id, COALESCE(model, '') AS model, first_token_ms,
      0 AS chats, CASE WHEN role = 'compaction' THEN 0 ELSE 1 END AS messages, CASE WHEN role = 'user' THEN 1 ELSE 0 END AS user_messages,
      prompt_tokens, completion_tokens, tokens, CASE WHEN status = 'failed' THEN 1 ELSE 0 END AS failed_replies,
      ${COST_OF_NOTHING}, CASE WHEN role = 'assistant' AND status IS NOT NULL THEN 1 ELSE 0 END AS replies
    FROM ${entries}`;
}

function countedChats(chats: string): CountedRows {
  return `
    SELECT day, user_id, agent_id, '' AS model, NULL AS first_token_ms,
      1 AS chats, 0 AS messages, 0 AS user_messages,
      0 AS prompt_tokens, 0 AS completion_tokens, 0 AS tokens, 0 AS failed_replies,
      ${COST_OF_NOTHING}, 0 AS replies
    FROM ${chats}`;
}

/** Messages and tokens are counted from the messages, so costs count only themselves. */
function countedCosts(costs: string): CountedRows {
  return `
    SELECT day, user_id, agent_id, COALESCE(model_answered, model) AS model, NULL AS first_token_ms,
      0 AS chats, 0 AS messages, 0 AS user_messages,
      0 AS prompt_tokens, 0 AS completion_tokens, 0 AS tokens, 0 AS failed_replies,
      ${COST_OF_ROW}, 0 AS replies
    FROM ${costs}`;
}
