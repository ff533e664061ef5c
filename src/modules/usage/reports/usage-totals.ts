/** What is counted of a user, an agent, a model or a day. */
export interface UsageTotals {
  /** Chats created. */
  chats: number;
  /** Messages stored, users' and replies. */
  messages: number;
  userMessages: number;
  promptTokens: number;
  completionTokens: number;
  /** Sum of both. */
  tokens: number;
  failedReplies: number;
}

const COLUMNS: Record<keyof UsageTotals, string> = {
  chats: 'chats',
  messages: 'messages',
  userMessages: 'user_messages',
  promptTokens: 'prompt_tokens',
  completionTokens: 'completion_tokens',
  tokens: 'tokens',
  failedReplies: 'failed_replies',
};

/** The summed columns, as they are called in every table that has them. */
export const SUM_COLUMNS = Object.values(COLUMNS);

/** The sums of those columns, in the same order and under the same names. */
export const SUMS = SUM_COLUMNS.map((column) => `SUM(${column}) AS ${column}`).join(', ');

/** Reads a row of `SUMS`: drivers hand out sums as text, and the sum of nothing as null. */
export function toUsageTotals(row: Record<string, unknown> | undefined): UsageTotals {
  const totals = Object.entries(COLUMNS).map(([field, column]) => [field, Number(row?.[column] ?? 0)]);
  return Object.fromEntries(totals) as Record<keyof UsageTotals, number>;
}
