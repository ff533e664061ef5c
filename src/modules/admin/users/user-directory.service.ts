import { Injectable, StreamableFile } from '@nestjs/common';
import { Brackets, SelectQueryBuilder } from 'typeorm';
import { Clock } from '../../../common/clock';
import { CSV_BATCH, csvList } from '../../../common/csv/csv';
import { Page, toPage } from '../../../common/envelope/page.dto';
import { Database } from '../../../database/database';
import { matchesText } from '../../../database/text-search';
import { UsageAccountEntity } from '../../usage/usage.api';
import { UserEntity } from '../../user/user.api';
import { ADMIN_USER_FIELDS, AdminUserDto } from './admin-user.dto';
import { ListUsersQueryDto, UserSort, UserSortField } from './list-users.dto';
import { UserActivityService } from './user-activity.service';

const SORT_COLUMNS: Record<UserSortField, string> = {
  id: 'account.id',
  username: 'account.usernameKey',
  email: 'account.email',
  created_at: 'account.createdAt',
  last_login_at: 'account.lastLoginAt',
  // Accounts without counters are shown with 0. No index serves these anyway: the accounts are joined with them.
  chats: 'COALESCE(counters.totalChats, 0)',
  messages: 'COALESCE(counters.totalMessages, 0)',
  tokens: 'COALESCE(counters.totalTokens, 0)',
};

/** Finds accounts for administrators. */
@Injectable()
export class UserDirectoryService {
  constructor(
    private readonly database: Database,
    private readonly activity: UserActivityService,
    private readonly clock: Clock,
  ) {}

  /** One page, or all that the filters leave as a file. */
  find(query: ListUsersQueryDto): Promise<Page<AdminUserDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
  }

  /** One page of the accounts, of closed ones only when asked for: four queries, however many accounts. */
  private async list(query: ListUsersQueryDto): Promise<Page<AdminUserDto>> {
    const accounts = this.database.repository(UserEntity).createQueryBuilder('account');
    this.filter(accounts, query);
    const total = await accounts.getCount();
    const users = await sorted(accounts, query.sort)
      .offset((query.page - 1) * query.size)
      .limit(query.size)
      .getMany();
    return toPage(await this.activity.describeAll(users), total, query);
  }

  private file(query: ListUsersQueryDto): Promise<StreamableFile> {
    return csvList('users', ADMIN_USER_FIELDS, async (last?: AdminUserDto) => {
      const accounts = this.database.repository(UserEntity).createQueryBuilder('account');
      this.filter(accounts, query);
      accounts.andWhere('account.id > :last', { last: last?.id ?? 0 });
      return this.activity.describeAll(await accounts.orderBy('account.id').limit(CSV_BATCH).getMany());
    });
  }

  private filter(accounts: SelectQueryBuilder<UserEntity>, query: ListUsersQueryDto): void {
    const now = this.clock.now();
    if (query.q) {
      accounts.andWhere(matching(query.q, accounts, query.status === 'closed'));
    }
    if (query.user_type) {
      accounts.andWhere('account.userType = :userType', { userType: query.user_type });
    }
    if (query.membership_type === 'free') {
      accounts.andWhere("(account.membershipType = 'free' OR account.membershipExpiresAt <= :now)", { now });
    } else if (query.membership_type) {
      accounts
        .andWhere('account.membershipType = :plan', { plan: query.membership_type })
        .andWhere('(account.membershipExpiresAt IS NULL OR account.membershipExpiresAt > :now)', { now });
    }
    if (query.status === 'closed') {
      accounts
        .withDeleted()
        .andWhere('account.deletedAt IS NOT NULL AND account.formerEmail IS NOT NULL')
        .andWhere('account.eraseAt > :now', { now });
    } else if (query.status === 'banned') {
      accounts
        .andWhere("account.status = 'banned'")
        .andWhere('(account.bannedUntil IS NULL OR account.bannedUntil > :now)', { now });
    } else if (query.status) {
      accounts.andWhere("(account.status <> 'banned' OR account.bannedUntil <= :now)", { now });
    }
  }
}

/** The text anywhere in the username or address, whatever its case; or the id. */
function matching(text: string, accounts: SelectQueryBuilder<UserEntity>, isClosed: boolean): Brackets {
  // As usernames are compared; addresses are ASCII in lower case.
  const key = text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  const pattern = `%${key.replace(/[!%_]/g, '!$&')}%`;
  // Closed accounts have set free what they were found by.
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

/** The id decides between equals, so that no account is on two pages. */
function sorted(accounts: SelectQueryBuilder<UserEntity>, sort: UserSort): SelectQueryBuilder<UserEntity> {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  const column = SORT_COLUMNS[sort.replace(/^-/, '') as UserSortField];
  if (column.includes('counters.')) {
    accounts.leftJoin(UsageAccountEntity, 'counters', 'counters.userId = account.id');
  }
  return accounts.orderBy(column, direction).addOrderBy('account.id', direction);
}
