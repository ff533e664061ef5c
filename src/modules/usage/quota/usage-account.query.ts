import { Injectable, type Type } from '@nestjs/common';
import { In } from 'typeorm';
import { startOfDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { UsageAccountEntity } from './usage-account.entity';

/** What a user has used since the account was made. */
export interface UserTotals {
  chats: number;
  messages: number;
  tokens: number;
  /** Midnight (UTC) of the day of the user's last message; null when there was none. */
  lastMessageDay: Date | null;
}

const PROPERTIES = { chats: 'totalChats', messages: 'totalMessages', tokens: 'totalTokens' } as const;

const NO_TOTALS: Readonly<UserTotals> = { chats: 0, messages: 0, tokens: 0, lastMessageDay: null };

/** Tells other modules what users have used in total. It only reads. */
@Injectable()
export class UsageAccountQuery {
  constructor(private readonly database: Database) {}

  /** The totals of each of the users, in one query. */
  async totalsOf(userIds: number[]): Promise<(userId: number) => UserTotals> {
    const accounts =
      userIds.length === 0 ? [] : await this.database.repository(UsageAccountEntity).findBy({ userId: In(userIds) });
    const byUser = new Map(accounts.map((account) => [account.userId, toTotals(account)]));
    return (userId) => byUser.get(userId) ?? NO_TOTALS;
  }

  /** A counter by which lists of users can be sorted (`UserOrder` of the user module). */
  counter(name: keyof typeof PROPERTIES): { entity: Type<{ userId: number }>; property: string } {
    return { entity: UsageAccountEntity, property: PROPERTIES[name] };
  }
}

function toTotals({ totalChats, totalMessages, totalTokens, day }: UsageAccountEntity): UserTotals {
  return {
    chats: totalChats,
    messages: totalMessages,
    tokens: totalTokens,
    lastMessageDay: day === 0 ? null : startOfDay(day),
  };
}
