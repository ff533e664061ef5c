import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { AllWebhooksQueryDto, WEBHOOK_FIELDS, WebhookDirectoryService, WebhookDto } from '../../webhook/webhook.api';

const CSV = csvContent(WEBHOOK_FIELDS, [
  ...[3, 7, 'https://hooks.example.com/chat', '["message.*"]', 'Syncs into our CRM.', false, true, 'own', null, null],
  ...[null, 0, '2026-01-31T09:30:00.000Z', null, null, '2026-01-31T09:30:00.000Z', '2026-01-31T09:30:00.000Z'],
]);

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
    description:
      'Owners, events, addresses, and the state of delivery. `format=csv` gives a file (UTF-8 with byte order mark, ' +
      'CR LF) of all matching webhooks; its columns are the fields.',
  })
  @EnvelopedPageResponse(WebhookDto, 'A page of webhooks; with `format=csv` all as `text/csv`.', undefined, CSV)
  list(@Query() query: AllWebhooksQueryDto): Promise<Page<WebhookDto> | StreamableFile> {
    return this.webhooks.find(query);
  }
}
