import { Injectable, type Type } from '@nestjs/common';
import { startOfDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { idIn } from '../../../database/statements/row-condition';
import { runStatement } from '../../../database/statements/run-statement';
import { UsageAccountEntity } from './usage-account.entity';

/** A user's usage since the account was created. */
export interface UserTotals {
  chats: number;
  messages: number;
  tokens: number;
  /** Midnight (UTC) of the day of the user's last message. Null if there was none. */
  lastMessageDay: Date | null;
}

const NO_TOTALS: Readonly<UserTotals> = { chats: 0, messages: 0, tokens: 0, lastMessageDay: null };

// One statement reads the counters and the chats that they do not include yet, so that each chat counts once.
const totalsWhere = (condition: string): string => `
  SELECT user_id, SUM(chats), SUM(messages), SUM(tokens), MAX(day) FROM (
    SELECT user_id, total_chats AS chats, total_messages AS messages, total_tokens AS tokens, day
    FROM usage_accounts WHERE ${condition}
    UNION ALL
    SELECT user_id, 1 AS chats, 0 AS messages, 0 AS tokens, 0 AS day FROM usage_new_chats WHERE ${condition}
  ) AS counted GROUP BY user_id`;

/** SQL of the counters, for a user `account` whose row is `counters`. */
const COUNTERS = {
  chats: `COALESCE(counters.totalChats, 0) + (SELECT COUNT(*) FROM usage_new_chats WHERE user_id = account.id)`,
  messages: 'COALESCE(counters.totalMessages, 0)',
  tokens: 'COALESCE(counters.totalTokens, 0)',
};

/** Reads users' totals. */
@Injectable()
export class UsageAccountQuery {
  constructor(private readonly database: Database) {}

  /** The totals of each of the users, in one query. */
  async totalsOf(userIds: number[]): Promise<(userId: number) => UserTotals> {
    const byUser = new Map<number, UserTotals>();
    if (userIds.length > 0) {
      const { condition, parameters } = idIn(userIds, 'user_id');
      const values = [...parameters, ...parameters];
      const { rows } = await runStatement(this.database.manager, totalsWhere(condition), values);
      rows.forEach(([userId, ...totals]) => byUser.set(Number(userId), toTotals(totals)));
    }
    return (userId) => byUser.get(userId) ?? NO_TOTALS;
  }

  /** A counter that lists of users can be sorted by (`UserOrder` of the user module). */
  counter(name: keyof typeof COUNTERS): { entity: Type<{ userId: number }>; value: string } {
    return { entity: UsageAccountEntity, value: COUNTERS[name] };
  }
}

/** Drivers return sums as text. */
function toTotals(cells: unknown[]): UserTotals {
  const [chats = 0, messages = 0, tokens = 0, day = 0] = cells.map(Number);
  return { chats, messages, tokens, lastMessageDay: day === 0 ? null : startOfDay(day) };
}
