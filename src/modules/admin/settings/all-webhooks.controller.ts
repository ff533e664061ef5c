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

@ApiTags('Webhooks')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/webhooks')
export class AllWebhooksController {
  constructor(private readonly webhooks: WebhookDirectoryService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.webhooks.list',
    summary: 'List webhooks of all users',
    description: 'Returns the owner, events, URL and delivery state of each webhook.',
  })
  @EnvelopedPageResponse(ListedWebhookDto, { otherContent: CSV })
  list(@Query() query: AllWebhooksQueryDto): Promise<Page<ListedWebhookDto> | StreamableFile> {
    return this.webhooks.find(query);
  }
}
