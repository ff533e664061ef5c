import { addUsage, NO_USAGE, type TokenUsage } from '../../../common/token-usage';

/** What is counted for a user, an agent, a model or a day. */
export interface UsageTotals {
  /** Chats created. */
  chats: number;
  /** Messages stored, users' and replies. */
  messages: number;
  userMessages: number;
  usage: TokenUsage;
  failedReplies: number;
}

export const NO_TOTALS: Readonly<UsageTotals> = {
  chats: 0,
  messages: 0,
  userMessages: 0,
  usage: NO_USAGE,
  failedReplies: 0,
};

export function addTotals(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    chats: one.chats + other.chats,
    messages: one.messages + other.messages,
    userMessages: one.userMessages + other.userMessages,
    usage: addUsage(one.usage, other.usage),
    failedReplies: one.failedReplies + other.failedReplies,
  };
}

/** The summed columns. They have the same names in every table. */
export const SUM_COLUMNS = [
  'chats',
  'messages',
  'user_messages',
  'prompt_tokens',
  'completion_tokens',
  'tokens',
  'failed_replies',
] as const;

/** The sums of those columns, in the same order and under the same names. */
export const SUMS = SUM_COLUMNS.map((column) => `SUM(${column}) AS ${column}`).join(', ');

/** Reads the columns of `SUMS`. Drivers return sums as text, and null when there are no rows. */
export function toUsageTotals(sums: unknown[] = []): UsageTotals {
  const sum = (column: (typeof SUM_COLUMNS)[number]): number => Number(sums[SUM_COLUMNS.indexOf(column)] ?? 0);
  return {
    chats: sum('chats'),
    messages: sum('messages'),
    userMessages: sum('user_messages'),
    usage: { prompt: sum('prompt_tokens'), completion: sum('completion_tokens'), total: sum('tokens') },
    failedReplies: sum('failed_replies'),
  };
}
