import { Injectable, StreamableFile } from '@nestjs/common';
import { CSV_BATCH, csvList } from '../../../common/csv/csv';
import { Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { UsageAccountQuery } from '../../usage/usage.api';
import { UserDirectoryQuery, UserFilter, UserOrder } from '../../user/user.api';
import { ADMIN_USER_FIELDS, AdminUserDto } from './admin-user.dto';
import { ListUsersQueryDto, UserSort, UserSortField } from './list-users.dto';
import { UserActivityService } from './user-activity.service';

/** Finds accounts for administrators. */
@Injectable()
export class UserDirectoryService {
  constructor(
    private readonly users: UserDirectoryQuery,
    private readonly usage: UsageAccountQuery,
    private readonly activity: UserActivityService,
  ) {}

  /** One page, or all matching accounts as a file. */
  find(query: ListUsersQueryDto): Promise<Page<AdminUserDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
  }

  /**
   * One page of the accounts. Closed ones are included only on request. Takes four queries for any number of accounts.
   */
  private async list(query: ListUsersQueryDto): Promise<Page<AdminUserDto>> {
    const { items, total } = await this.users.page(filterOf(query), this.orderOf(query.sort), partOf(query));
    return toPage(await this.activity.describeAll(items), total, query);
  }

  private file(query: ListUsersQueryDto): Promise<StreamableFile> {
    return csvList('users', ADMIN_USER_FIELDS, async (last?: AdminUserDto) =>
      this.activity.describeAll(await this.users.batch(filterOf(query), last?.id ?? 0, CSV_BATCH)),
    );
  }

  private orderOf(sort: UserSort): UserOrder {
    const by: Record<UserSortField, UserOrder['by']> = {
      id: 'id',
      username: 'username',
      email: 'email',
      created_at: 'createdAt',
      last_login_at: 'lastLoginAt',
      chats: this.usage.counter('chats'),
      messages: this.usage.counter('messages'),
      tokens: this.usage.counter('tokens'),
    };
    const order = orderOf(sort);
    return { by: by[order.by], direction: order.direction };
  }
}

function filterOf({ q, user_type, membership_type, status }: ListUsersQueryDto): UserFilter {
  return { text: q, userType: user_type, membership: membership_type, state: status };
}
