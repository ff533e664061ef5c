import { Injectable, Type } from '@nestjs/common';
import { Brackets, In, IsNull, Not, SelectQueryBuilder } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { ListPart } from '../../../common/envelope/total-count';
import type { Tier, UserType } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { findRow, findRows } from '../../../database/statements/find';
import { firstColumn } from '../../../database/statements/long-reads';
import { matchesText } from '../../../database/statements/text-search';
import { effectiveMembershipSql, hasStatusSql, isBannedSql, mayCall, tierOf } from '../account/account-status';
import { MembershipType, User, UserEntity } from '../account/user.entity';
import { usernameKey } from '../account/username';

/** Filters for users. Absent ones do not apply. */
export interface UserFilter {
  /** A part of the username or address, case-insensitive, or an id. */
  text?: string;
  userType?: UserType;
  /** The plan in effect now. */
  membership?: MembershipType;
  /** `closed`: can still be restored. If absent, all open accounts. */
  state?: 'active' | 'banned' | 'suspended' | 'closed';
}

/** A number that another module stores in its own table, with one row per user. A user without a row has 0. */
export interface UserCounter {
  /** Its property `userId` identifies the user. */
  entity: Type<{ userId: number }>;
  /**
   * SQL for the number, with the user `account` and the row `counters`, whose columns are NULL if it does not exist.
   */
  value: string;
}

/** Sort order of users. Ties are sorted by id. */
export interface UserOrder {
  by: keyof typeof COLUMNS | UserCounter;
  direction: 'ASC' | 'DESC';
}

/** Numbers of open accounts. */
export interface UserCounts {
  total: number;
  administrators: number;
  /** Accounts with an active paid plan. */
  paid: number;
  /** Accounts with an active ban. */
  banned: number;
}

const COLUMNS = {
  id: 'account.id',
  username: 'account.usernameKey',
  email: 'account.email',
  createdAt: 'account.createdAt',
  lastLoginAt: 'account.lastLoginAt',
} as const;

/** Finds users for other modules. It only reads. */
@Injectable()
export class UserDirectoryQuery {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** A page of the filtered users, and their total number. */
  async page(filter: UserFilter, order: UserOrder, part: { offset: number; limit: number }): Promise<ListPart<User>> {
    const accounts = this.matching(filter);
    const [total = 0] = filter.text
      ? await firstColumn(this.database, accounts.clone().select('COUNT(*)', 'total'))
      : [await accounts.getCount()];
    const items = await this.usersOf(filter, sort(accounts, order).offset(part.offset).limit(part.limit));
    return { items, total };
  }

  /** The next filtered users in the order of their ids, for reading all of them in batches. */
  batch(filter: UserFilter, afterId: number, limit: number): Promise<User[]> {
    const next = this.matching(filter).andWhere('account.id > :afterId', { afterId }).orderBy('account.id');
    return this.usersOf(filter, next.limit(limit));
  }

  async counts(): Promise<UserCounts> {
    const row = await this.accounts()
      .select('COUNT(*)', 'total')
      .addSelect(countWhere("account.userType = 'admin'"), 'administrators')
      .addSelect(countWhere(`${effectiveMembershipSql('account')} <> 'free'`), 'paid')
      .addSelect(countWhere(isBannedSql('account')), 'banned')
      .getRawOne<Record<keyof UserCounts, number | string | null>>();
    // MySQL returns sums as text, and null if there are no users.
    const count = (name: keyof UserCounts): number => Number(row?.[name] ?? 0);
    return {
      total: count('total'),
      administrators: count('administrators'),
      paid: count('paid'),
      banned: count('banned'),
    };
  }

  /** Number of accounts created on each UTC day since the given time, including closed ones, by `YYYY-MM-DD`. */
  async newByDay(since: Date): Promise<Map<string, number>> {
    const rows = await this.accounts()
      .withDeleted()
      // In every database, a time can be truncated as text that starts with its day.
      .select('SUBSTR(account.createdAt, 1, 10)', 'day')
      .addSelect('COUNT(*)', 'users')
      .where('account.createdAt >= :since', { since })
      .groupBy('day')
      .getRawMany<{ day: string; users: number | string }>();
    return new Map(rows.map(({ day, users }) => [day, Number(users)]));
  }

  /** Names of the users whose accounts are open, by id. */
  async usernames(ids: number[]): Promise<Map<number, string>> {
    const users = await findRows(
      this.database.manager,
      UserEntity,
      { id: In([...new Set(ids)]) },
      { members: ['id', 'username'] },
    );
    return new Map(users.map(({ id, username }) => [id, username]));
  }

  /** An account, open or closed. Null if it never existed. */
  find(id: number): Promise<User | null> {
    return findRow(this.database.manager, UserEntity, { id }, { withDeleted: true });
  }

  /** These accounts, open or closed, in the order of their ids. */
  findAll(ids: readonly number[]): Promise<User[]> {
    const where = { id: In([...new Set(ids)]) };
    return findRows(this.database.manager, UserEntity, where, { withDeleted: true, order: { id: 'ASC' } });
  }

  /** The user's current caller class, even if the account is closed. */
  async tierOf(id: number): Promise<Tier> {
    const user = await findRow(
      this.database.manager,
      UserEntity,
      { id },
      { members: ['id', 'userType', 'membershipType', 'membershipExpiresAt'], withDeleted: true },
    );
    return user ? tierOf(user, this.clock.now()) : 'normal';
  }

  /** The users who are active administrators: neither closed, banned nor suspended. */
  async administratorsAmong(ids: number[]): Promise<Set<number>> {
    if (ids.length === 0) {
      return new Set();
    }
    const administrators = await findRows(
      this.database.manager,
      UserEntity,
      { id: In([...new Set(ids)]), userType: 'admin' },
      { members: ['id', 'status', 'bannedUntil', 'suspendedAt'] },
    );
    const now = this.clock.now();
    return new Set(administrators.filter((user) => mayCall(user, now)).map(({ id }) => id));
  }

  /** The users who may not send requests now, because their accounts are closed, banned or suspended. */
  async withoutAccess(ids: number[]): Promise<Set<number>> {
    const distinct = [...new Set(ids)];
    const open = await findRows(
      this.database.manager,
      UserEntity,
      { id: In(distinct) },
      { members: ['id', 'status', 'bannedUntil', 'suspendedAt'] },
    );
    const now = this.clock.now();
    const callers = new Set(open.filter((user) => mayCall(user, now)).map(({ id }) => id));
    return new Set(distinct.filter((id) => !callers.has(id)));
  }

  /** The users whose accounts are suspended. */
  async suspendedAmong(ids: number[]): Promise<Set<number>> {
    const where = { id: In([...new Set(ids)]), suspendedAt: Not(IsNull()) };
    const suspended = await findRows(this.database.manager, UserEntity, where, { members: ['id'] });
    return new Set(suspended.map(({ id }) => id));
  }

  /** All users, with the parameter `now` that the rules for plans and bans need. */
  private accounts(): SelectQueryBuilder<UserEntity> {
    return this.database.repository(UserEntity).createQueryBuilder('account').setParameters({ now: this.clock.now() });
  }

  /** Only a search reads every user. It runs as a separate query that reads only the ids. */
  private async usersOf({ text }: UserFilter, accounts: SelectQueryBuilder<UserEntity>): Promise<User[]> {
    if (!text) {
      return accounts.getMany();
    }
    const ids = await firstColumn(this.database, accounts.select('account.id', 'id'));
    const users = await findRows(this.database.manager, UserEntity, { id: In(ids) }, { withDeleted: true });
    const byId = new Map(users.map((user) => [user.id, user]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  private matching({ text, userType, membership, state }: UserFilter): SelectQueryBuilder<UserEntity> {
    const accounts = this.accounts();
    if (text) {
      accounts.andWhere(hasText(text, accounts, state === 'closed'));
    }
    if (userType) {
      accounts.andWhere('account.userType = :userType', { userType });
    }
    if (membership) {
      accounts.andWhere(`${effectiveMembershipSql('account')} = :membership`, { membership });
    }
    if (state === 'closed') {
      // An account that is being erased has already lost its former address.
      accounts
        .withDeleted()
        .andWhere('account.deletedAt IS NOT NULL AND account.formerEmail IS NOT NULL AND account.eraseAt > :now');
    } else if (state) {
      accounts.andWhere(hasStatusSql('account', state));
    }
    return accounts;
  }
}

/** Matches text anywhere in the username or address, case-insensitive, or the id. */
function hasText(text: string, accounts: SelectQueryBuilder<UserEntity>, isClosed: boolean): Brackets {
  // Normalized like a username. Addresses are lowercase ASCII, so this form matches them too.
  const key = usernameKey(text);
  const pattern = `%${key.replace(/[!%_]/g, '!$&')}%`;
  // A closed account has released its key and its address for other accounts.
  const isNamed = matchesText(isClosed ? 'account.username' : 'account.usernameKey', key, accounts);
  return new Brackets((either) => {
    either
      .where(isNamed)
      .orWhere(`${isClosed ? 'account.formerEmail' : 'account.email'} LIKE :pattern ESCAPE '!'`, { pattern });
    if (/^\d{1,15}$/.test(text)) {
      either.orWhere('account.id = :id', { id: Number(text) });
    }
  });
}

/** Ties are sorted by id, so that no user is on two pages. */
function sort(accounts: SelectQueryBuilder<UserEntity>, { by, direction }: UserOrder): SelectQueryBuilder<UserEntity> {
  if (typeof by === 'string') {
    return accounts.orderBy(COLUMNS[by], direction).addOrderBy('account.id', direction);
  }
  return accounts
    .leftJoin(by.entity, 'counters', 'counters.userId = account.id')
    .orderBy(by.value, direction)
    .addOrderBy('account.id', direction);
}

function countWhere(condition: string): string {
  return `SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
}
