import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditAdministrators } from '../../../common/audit/audited.decorator';
import { csvContent } from '../../../common/csv/csv';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { DeliveryNotFoundError, WebhookNotFoundError } from '../endpoint/webhook.errors';
import { DELIVERY_FIELDS, DeliveryDetailDto, DeliveryDto, ReplayResultDto } from './delivery.dto';
import { DeliveryQueryDto, ReplayDto } from './delivery-query.dto';
import { WebhookDeliveryService } from './webhook-delivery.service';
import { WebhookReplayService } from './webhook-replay.service';
import { WebhookResendService } from './webhook-resend.service';

const CSV = csvContent(DELIVERY_FIELDS);

@ApiTags('Webhooks')
@AuditAdministrators()
@Authenticated()
@KeyScope('webhooks')
@Controller('webhooks/:id')
export class WebhookDeliveryController {
  constructor(
    private readonly deliveries: WebhookDeliveryService,
    private readonly resend: WebhookResendService,
    private readonly replays: WebhookReplayService,
  ) {}

  @Post('test')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'webhooks.test',
    summary: 'Send a test event',
    description:
      'Sends `webhook.test` to the endpoint now; a disabled endpoint gets one attempt. Limited to ten per ' +
      'hour and endpoint.',
  })
  @ApiBody({ type: LanguageBodyDto, required: false })
  @Enveloped('messages.webhook_test_queued')
  @EnvelopedResponse(DeliveryDto, { description: 'The delivery. Read it to see the result.' })
  @ApiErrors(WebhookNotFoundError)
  test(
    @CurrentContext() context: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() _body: LanguageBodyDto,
  ): Promise<DeliveryDto> {
    return this.resend.test(context.principal.userId, id);
  }

  @Get('deliveries')
  @ApiOperation({
    operationId: 'webhooks.listDeliveries',
    summary: 'List deliveries',
    description: 'Returns past and pending deliveries of an endpoint, newest first. They are kept for 30 days.',
  })
  @Enveloped()
  @EnvelopedPageResponse(DeliveryDto, { otherContent: CSV })
  @ApiErrors(WebhookNotFoundError)
  list(
    @CurrentContext() context: RequestContext,
    @Param('id', IdPipe) id: number,
    @Query() query: DeliveryQueryDto,
  ): Promise<Page<DeliveryDto> | StreamableFile> {
    return this.deliveries.find(context, id, query);
  }

  @Get('deliveries/:delivery_id')
  @ApiOperation({
    operationId: 'webhooks.readDelivery',
    summary: 'Retrieve a delivery',
    description: 'Includes the body and every attempt.',
  })
  @Enveloped()
  @EnvelopedResponse(DeliveryDetailDto)
  @ApiErrors(WebhookNotFoundError, DeliveryNotFoundError)
  get(
    @CurrentContext() context: RequestContext,
    @Param('id', IdPipe) id: number,
    @Param('delivery_id', IdPipe) deliveryId: number,
  ): Promise<DeliveryDetailDto> {
    return this.deliveries.get(context, id, deliveryId);
  }

  @Post('deliveries/:delivery_id/redeliver')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'webhooks.redeliver',
    summary: 'Resend a delivery',
    description: 'Sends the delivery now, with the same `webhook-id`. A disabled endpoint gets one attempt.',
  })
  @ApiBody({ type: LanguageBodyDto, required: false })
  @Enveloped('messages.delivery_queued')
  @EnvelopedResponse(DeliveryDto, { description: 'The delivery, pending again.' })
  @ApiErrors(WebhookNotFoundError, DeliveryNotFoundError)
  redeliver(
    @CurrentContext() context: RequestContext,
    @Param('id', IdPipe) id: number,
    @Param('delivery_id', IdPipe) deliveryId: number,
    @Body() _body: LanguageBodyDto,
  ): Promise<DeliveryDto> {
    return this.resend.redeliver(context, id, deliveryId);
  }

  @Post('replay')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'webhooks.replay',
    summary: 'Replay events',
    description:
      'Sends every event of the period that matches the current subscription again, with its original ' +
      '`webhook-id`; `only_failed` limits it to failed deliveries. Events are kept for 30 days if an endpoint ' +
      'subscribed to them, and deliveries in progress are skipped. Limited to 20 per hour.',
  })
  @Enveloped(({ replayed }: ReplayResultDto) => (replayed === 0 ? 'messages.nothing_replayed' : 'messages.replayed'))
  @EnvelopedResponse(ReplayResultDto, { description: 'Number of events that are sent again.' })
  @ApiErrors(WebhookNotFoundError)
  replay(
    @CurrentContext() context: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() body: ReplayDto,
  ): Promise<ReplayResultDto> {
    return this.replays.replay(context, id, body);
  }
}
