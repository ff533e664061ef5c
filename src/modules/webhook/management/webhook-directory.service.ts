import { Injectable, StreamableFile } from '@nestjs/common';
import { csvList } from '../../../common/csv/csv';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { Database } from '../../../database/database';
import { nextOf, sortedPage } from '../../../database/statements/list-rows';
import { allOf, rowCondition, type RowsOf } from '../../../database/statements/row-condition';
import { containsText } from '../../../database/statements/text-search';
import { UserDirectoryQuery } from '../../user/user.api';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { type AllWebhooksQueryDto, WEBHOOK_FIELDS, type WebhookSortField } from './all-webhooks-query.dto';
import { type ListedWebhookDto, toWebhookDto } from './webhook.dto';

/** Finds the endpoints of all users, for administrators. */
@Injectable()
export class WebhookDirectoryService {
  constructor(
    private readonly database: Database,
    private readonly users: UserDirectoryQuery,
  ) {}

  /** One page, or all matching endpoints as a file. */
  find(query: AllWebhooksQueryDto): Promise<Page<ListedWebhookDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
  }

  private async list(query: AllWebhooksQueryDto): Promise<Page<ListedWebhookDto>> {
    const order = orderOf(query.sort);
    const { items, total } = await sortedPage(...this.matching(query), order, COLUMNS, partOf(query));
    return toPage(await this.named(items), total, query);
  }

  private file(query: AllWebhooksQueryDto): Promise<StreamableFile> {
    return csvList('webhooks', WEBHOOK_FIELDS, async (last?: ListedWebhookDto) =>
      this.named(await nextOf(...this.matching(query), last?.id, 'ASC')),
    );
  }

  private async named(endpoints: readonly WebhookEndpointEntity[]): Promise<ListedWebhookDto[]> {
    const usernames = await this.users.usernames(endpoints.map(({ userId }) => userId));
    return endpoints.map((endpoint) => ({
      ...toWebhookDto(endpoint),
      username: usernames.get(endpoint.userId) ?? null,
    }));
  }

  private matching({ user_id, scope, is_active, q }: AllWebhooksQueryDto): RowsOf<WebhookEndpointEntity> {
    const { manager } = this.database;
    const endpoints = rowCondition(manager, WebhookEndpointEntity, {
      ...(user_id !== undefined && { userId: user_id }),
      ...(scope !== undefined && { scope }),
      ...(is_active !== undefined && { isActive: is_active }),
    });
    return [manager, WebhookEndpointEntity, q ? allOf(endpoints, containsText(manager, 'url', q)) : endpoints];
  }
}

const COLUMNS: Record<WebhookSortField, keyof WebhookEndpointEntity> = {
  id: 'id',
  url: 'url',
  user_id: 'userId',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  last_success_at: 'lastSuccessAt',
  last_failure_at: 'lastFailureAt',
  failure_count: 'failureCount',
};
