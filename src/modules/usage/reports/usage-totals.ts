import { addUsage, NO_USAGE, type TokenUsage } from '../../../common/token-usage';
import { addCosts, COST_COLUMNS, type CostSum, NO_COST, toCostSum } from '../costs/cost-sums';

/** Usage of a user, an agent, a model or a day. */
export interface UsageTotals {
  /** Chats created. */
  chats: number;
  /** Stored messages, both users' messages and replies. */
  messages: number;
  userMessages: number;
  usage: TokenUsage;
  failedReplies: number;
  cost: CostSum;
}

export const NO_TOTALS: Readonly<UsageTotals> = {
  chats: 0,
  messages: 0,
  userMessages: 0,
  usage: NO_USAGE,
  failedReplies: 0,
  cost: NO_COST,
};

export function addTotals(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    chats: one.chats + other.chats,
    messages: one.messages + other.messages,
    userMessages: one.userMessages + other.userMessages,
    usage: addUsage(one.usage, other.usage),
    failedReplies: one.failedReplies + other.failedReplies,
    cost: addCosts(one.cost, other.cost),
  };
}

/** The summed columns that are counters. */
export const COUNT_COLUMNS = [
  'chats',
  'messages',
  'user_messages',
  'prompt_tokens',
  'completion_tokens',
  'tokens',
  'failed_replies',
] as const;

/** The summed columns. They have the same names in every table. */
export const SUM_COLUMNS = [...COUNT_COLUMNS, ...COST_COLUMNS] as const;

/** The sums of these columns, in the same order and under the same names. */
export const SUMS = SUM_COLUMNS.map((column) => `SUM(${column}) AS ${column}`).join(', ');

/** Reads the columns of `SUMS`. Drivers return sums as text, and null if there are no rows. */
export function toUsageTotals(sums: unknown[] = []): UsageTotals {
  const sum = (column: (typeof COUNT_COLUMNS)[number]): number => Number(sums[COUNT_COLUMNS.indexOf(column)] ?? 0);
  return {
    chats: sum('chats'),
    messages: sum('messages'),
    userMessages: sum('user_messages'),
    usage: { prompt: sum('prompt_tokens'), completion: sum('completion_tokens'), total: sum('tokens') },
    failedReplies: sum('failed_replies'),
    cost: toCostSum(sums.slice(COUNT_COLUMNS.length), sum('tokens')),
  };
}
