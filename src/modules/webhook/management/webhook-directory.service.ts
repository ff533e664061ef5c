import { Injectable, StreamableFile } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { csvList } from '../../../common/csv/csv';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { Database } from '../../../database/database';
import { nextRows, sortedRows } from '../../../database/statements/list-rows';
import { matchesText } from '../../../database/statements/text-search';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { type AllWebhooksQueryDto, WEBHOOK_FIELDS, type WebhookSortField } from './all-webhooks-query.dto';
import { toWebhookDto, type WebhookDto } from './webhook.dto';

/** Finds the endpoints of all users, for administrators. */
@Injectable()
export class WebhookDirectoryService {
  constructor(private readonly database: Database) {}

  /** One page, or all matching endpoints as a file. */
  find(query: AllWebhooksQueryDto): Promise<Page<WebhookDto> | StreamableFile> {
    return query.format === 'csv' ? this.file(query) : this.list(query);
  }

  private async list(query: AllWebhooksQueryDto): Promise<Page<WebhookDto>> {
    const { items, total } = await sortedRows(this.matching(query), orderOf(query.sort), COLUMNS, partOf(query));
    return toPage(items.map(toWebhookDto), total, query);
  }

  private file(query: AllWebhooksQueryDto): Promise<StreamableFile> {
    return csvList('webhooks', WEBHOOK_FIELDS, async (last?: WebhookDto) =>
      (await nextRows(this.matching(query), last?.id, 'ASC')).map(toWebhookDto),
    );
  }

  private matching({ user_id, scope, is_active, q }: AllWebhooksQueryDto): SelectQueryBuilder<WebhookEndpointEntity> {
    const endpoints = this.database
      .repository(WebhookEndpointEntity)
      .createQueryBuilder('endpoint')
      .where({
        ...(user_id !== undefined && { userId: user_id }),
        ...(scope !== undefined && { scope }),
        ...(is_active !== undefined && { isActive: is_active }),
      });
    return q ? endpoints.andWhere(matchesText('endpoint.url', q, endpoints)) : endpoints;
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
