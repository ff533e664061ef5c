import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import {
  AllWebhooksQueryDto,
  ListedWebhookDto,
  WEBHOOK_FIELDS,
  WebhookDirectoryService,
} from '../../webhook/webhook.api';

const CSV = csvContent(WEBHOOK_FIELDS);

@ApiTags('Admin: settings')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/webhooks')
export class AllWebhooksController {
  constructor(private readonly webhooks: WebhookDirectoryService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.webhooks.list',
    summary: 'Webhooks of all users',
    description: 'Owners, events, addresses, and the state of delivery.',
  })
  @EnvelopedPageResponse(ListedWebhookDto, { otherContent: CSV })
  list(@Query() query: AllWebhooksQueryDto): Promise<Page<ListedWebhookDto> | StreamableFile> {
    return this.webhooks.find(query);
  }
}
