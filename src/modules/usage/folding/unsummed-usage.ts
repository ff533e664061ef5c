/**
 * SQL that finds what is to be counted, one row for each message and each created chat: `day`, `user_id`, `agent_id`,
 * `model` (empty where none was used), `first_token_ms` (null where there is none), the columns `SUM_COLUMNS`, and
 * `replies`.
 */
export type CountedRows = string;

/** What the sums do not have yet. Together with the sums, read in the same statement, it is exact at any moment. */
export const UNSUMMED: CountedRows = countedRows('usage_entries WHERE unsummed = 1', 'usage_new_chats');

/** @param entries where the rows of `usage_entries` come from, as SQL after FROM; @param chats those of `usage_new_chats` */
export function countedRows(entries: string, chats: string): CountedRows {
  return `
    SELECT day, user_id, agent_id, COALESCE(model, '') AS model, first_token_ms,
      0 AS chats, CASE WHEN role = 'compaction' THEN 0 ELSE 1 END AS messages, CASE WHEN role = 'user' THEN 1 ELSE 0 END AS user_messages,
      prompt_tokens, completion_tokens, tokens, CASE WHEN status = 'failed' THEN 1 ELSE 0 END AS failed_replies,
      CASE WHEN role = 'assistant' AND status IS NOT NULL THEN 1 ELSE 0 END AS replies
    FROM ${entries}
    UNION ALL
    SELECT day, user_id, agent_id, '' AS model, NULL AS first_token_ms,
      1 AS chats, 0 AS messages, 0 AS user_messages,
      0 AS prompt_tokens, 0 AS completion_tokens, 0 AS tokens, 0 AS failed_replies,
      0 AS replies
    FROM ${chats}`;
}
