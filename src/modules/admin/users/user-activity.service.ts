import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { UsageAccountEntity } from '../../usage/usage.api';
import { SessionQuery, User, UserService } from '../../user/user.api';
import { AdminUserDto } from './admin-user.dto';

const MILLISECONDS_PER_DAY = 86_400_000;

/** Adds to accounts what else administrators want to see of them: two queries, however many accounts. */
@Injectable()
export class UserActivityService {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly sessions: SessionQuery,
  ) {}

  async describe(user: User): Promise<AdminUserDto> {
    const [dto] = await this.describeAll([user]);
    return dto as AdminUserDto;
  }

  async describeAll(users: User[]): Promise<AdminUserDto[]> {
    const ids = users.map(({ id }) => id);
    const [accounts, lastUses] = await Promise.all([this.accounts(ids), this.sessions.lastUses(ids)]);
    return users.map((user) => {
      const account = accounts.get(user.id);
      const lastMessageDay = account?.day ? new Date(account.day * MILLISECONDS_PER_DAY) : null;
      return {
        ...this.users.toDto(user),
        ...closedState(user),
        ban_reason: this.users.isBanned(user) ? user.banReason : null,
        banned_until: this.users.isBanned(user) ? (user.bannedUntil?.toISOString() ?? null) : null,
        quota_messages: user.quotaMessagesOverride,
        quota_tokens: user.quotaTokensOverride,
        note: user.adminNote,
        chats: account?.totalChats ?? 0,
        messages: account?.totalMessages ?? 0,
        tokens: account?.totalTokens ?? 0,
        last_activity_at: latest([user.lastLoginAt, lastUses.get(user.id) ?? null, lastMessageDay]),
      };
    });
  }

  private async accounts(ids: number[]): Promise<Map<number, UsageAccountEntity>> {
    if (ids.length === 0) {
      return new Map();
    }
    const accounts = await this.database.repository(UsageAccountEntity).findBy({ userId: In(ids) });
    return new Map(accounts.map((account) => [account.userId, account]));
  }
}

/** What is different of a closed account: its address was set free. */
function closedState({ deletedAt, eraseAt, formerEmail }: User): object {
  return deletedAt === null || formerEmail === null
    ? {}
    : { email: formerEmail, status: 'closed', erase_at: eraseAt?.toISOString() };
}

function latest(times: (Date | null)[]): string | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(Math.max(...known.map((time) => time.getTime()))).toISOString();
}
