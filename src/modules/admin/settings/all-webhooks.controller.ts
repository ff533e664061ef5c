import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page, PageQueryDto } from '../../../common/envelope/page.dto';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { WebhookDto, WebhookService } from '../../webhook/webhook.api';

@ApiTags('Admin: settings')
@AdminOnly()
@KeyScope('admin:read')
@Enveloped()
@Controller('admin/webhooks')
export class AllWebhooksController {
  constructor(private readonly webhooks: WebhookService) {}

  @Get()
  @ApiOperation({
    summary: 'Webhooks of all users',
    description: 'Owners, events, addresses, and the state of delivery.',
  })
  @EnvelopedPageResponse(WebhookDto, 'A page of webhooks.')
  list(@Query() query: PageQueryDto): Promise<Page<WebhookDto>> {
    return this.webhooks.pageOfAll(query);
  }
}
