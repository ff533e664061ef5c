import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditAdministrators } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page, PageQueryDto } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { EventKinds } from '../../../common/events/event-kinds';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ForbiddenError } from '../../../common/security/security.errors';
import { IdPipe } from '../../../common/validation/id.pipe';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { eventCatalogue, EventKindDto } from '../catalogue/event-catalogue.dto';
import { WebhookNotFoundError, WebhookUrlForbiddenError } from '../endpoint/webhook.errors';
import { DeletedWebhookDto, WebhookDto, WebhookWithSecretDto } from './webhook.dto';
import { WebhookService } from './webhook.service';
import { CreateWebhookDto, UpdateWebhookDto } from './webhook-body.dto';

@ApiTags('Webhooks')
@AuditAdministrators()
@Authenticated()
@KeyScope('webhooks')
@Controller('webhooks')
export class WebhookController {
  constructor(
    private readonly webhooks: WebhookService,
    private readonly kinds: EventKinds,
  ) {}

  @Get('events')
  @ApiOperation({
    operationId: 'webhooks.listEvents',
    summary: 'List event types',
    description: 'Returns each event type with an example and the JSON Schema of its body.',
  })
  @Enveloped()
  @EnvelopedPageResponse(EventKindDto, { description: 'All event types, on one page.' })
  events(): Page<EventKindDto> {
    return eventCatalogue(this.kinds.all);
  }

  @Post()
  @ApiOperation({
    operationId: 'webhooks.create',
    summary: 'Add a webhook',
    description: 'Each user can have three. The secret is returned only once.',
  })
  @Enveloped('messages.webhook_created')
  @EnvelopedResponse(WebhookWithSecretDto, { status: HttpStatus.CREATED })
  @ApiErrors(WebhookUrlForbiddenError, ForbiddenError, ValidationFailedError)
  create(@CurrentContext() context: RequestContext, @Body() body: CreateWebhookDto): Promise<WebhookWithSecretDto> {
    return this.webhooks.create(context, body);
  }

  @Get()
  @ApiOperation({
    operationId: 'webhooks.list',
    summary: 'List your webhooks',
    description: 'Returns the oldest first.',
  })
  @Enveloped()
  @EnvelopedPageResponse(WebhookDto, { description: 'Your webhooks, oldest first.' })
  list(@CurrentContext() context: RequestContext, @Query() query: PageQueryDto): Promise<Page<WebhookDto>> {
    return this.webhooks.page(context.principal.userId, query);
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'webhooks.read',
    summary: 'Retrieve a webhook',
    description: 'Includes its delivery state.',
  })
  @Enveloped()
  @EnvelopedResponse(WebhookDto)
  @ApiErrors(WebhookNotFoundError)
  get(@CurrentContext() context: RequestContext, @Param('id', IdPipe) id: number): Promise<WebhookDto> {
    return this.webhooks.get(context.principal.userId, id);
  }

  @Put(':id')
  @ApiOperation({
    operationId: 'webhooks.update',
    summary: 'Update a webhook',
    description:
      'Fields that you omit stay unchanged. `is_active: true` enables a webhook again that the service ' + 'disabled.',
  })
  @Enveloped('messages.webhook_updated')
  @EnvelopedResponse(WebhookDto)
  @ApiErrors(WebhookNotFoundError, WebhookUrlForbiddenError, ForbiddenError)
  update(
    @CurrentContext() context: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() body: UpdateWebhookDto,
  ): Promise<WebhookDto> {
    return this.webhooks.update(context, id, body);
  }

  @Delete(':id')
  @ApiOperation({
    operationId: 'webhooks.remove',
    summary: 'Delete a webhook',
    description: 'Also deletes its pending deliveries.',
  })
  @Enveloped('messages.webhook_deleted')
  @EnvelopedResponse(DeletedWebhookDto)
  @ApiErrors(WebhookNotFoundError)
  remove(@CurrentContext() context: RequestContext, @Param('id', IdPipe) id: number): Promise<DeletedWebhookDto> {
    return this.webhooks.remove(context.principal.userId, id);
  }

  @Post(':id/rotate_secret')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'webhooks.rotateSecret',
    summary: 'Rotate a webhook secret',
    description: 'For 24 hours, deliveries carry two signatures; the second one uses the old secret.',
  })
  @ApiBody({ type: LanguageBodyDto, required: false })
  @Enveloped('messages.webhook_secret_rotated')
  @EnvelopedResponse(WebhookWithSecretDto)
  @ApiErrors(WebhookNotFoundError)
  rotateSecret(
    @CurrentContext() context: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() _body: LanguageBodyDto,
  ): Promise<WebhookWithSecretDto> {
    return this.webhooks.rotateSecret(context.principal.userId, id);
  }
}
