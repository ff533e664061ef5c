import { TypeOrmModule } from '@nestjs/typeorm';
import { EventKinds } from '../../common/events/event-kinds';
import { Feature } from '../../common/features/feature.decorator';
import { RateLimitStorageModule } from '../../common/rate-limit/rate-limit.module';
import { MailModule } from '../../integrations/mail/mail.module';
import { OutboundHttpModule } from '../../integrations/outbound-http/outbound-http.module';
import { RetentionModule } from '../retention/retention.api';
import { UserModule } from '../user/user.api';
import { documentEvents } from './catalogue/document-events';
import { DeliveryAttempt } from './delivery/delivery-attempt';
import { DeliveryClaims } from './delivery/delivery-claims';
import { DeliveryResults } from './delivery/delivery-results';
import { EndpointHealth } from './delivery/endpoint-health';
import { ConcurrencyLimiter, FairQueue } from './delivery/fair-queue';
import { KeptDeliveries } from './delivery/kept-deliveries';
import { RequestedDeliveries } from './delivery/requested-deliveries';
import { WebhookAttemptEntity, WebhookDeliveryEntity } from './delivery/webhook-delivery.entity';
import { WebhookFanOut } from './delivery/webhook-fan-out';
import { WebhookMetrics } from './delivery/webhook-metrics';
import { WebhookWorker } from './delivery/webhook-worker';
import { DisabledEndpointMailer } from './endpoint/disabled-endpoint-mailer';
import { SecretCipher } from './endpoint/secret-cipher';
import { SecretRenewal } from './endpoint/secret-renewal';
import { webhookAudit } from './endpoint/webhook.audit';
import { WEBHOOK_EVENTS } from './endpoint/webhook.events';
import { WebhookEndpointEntity } from './endpoint/webhook-endpoint.entity';
import { EndpointStore } from './management/endpoint.store';
import { WebhookController } from './management/webhook.controller';
import { WebhookService, WebhookUrls } from './management/webhook.service';
import { WebhookAttention } from './management/webhook-attention';
import { WebhookDeliveryController } from './management/webhook-delivery.controller';
import { WebhookDeliveryService } from './management/webhook-delivery.service';
import { WebhookDirectoryService } from './management/webhook-directory.service';
import { WebhookReplayService } from './management/webhook-replay.service';
import { WebhookResendService } from './management/webhook-resend.service';
import { EventBodies } from './outbox/event-content';
import { ExpiredEvents } from './outbox/expired-events';
import { WebhookEventEntity } from './outbox/webhook-event.entity';
import { WebhookOutbox } from './outbox/webhook-outbox';
import { ENDPOINT_DISABLED } from './webhook.mails';
import { WebhookPersonalData } from './webhook.personal-data';
import { WebhookRetention } from './webhook.retention';

/**
 * Sends events to the users' own servers. docs/webhooks.md describes the path of an event.
 *
 * - `outbox/` stores each domain event, `delivery/` delivers it, starting with `webhook-worker.ts`.
 * - `management/` has the owners' routes, `endpoint/` the row and the secrets of an endpoint, `catalogue/` the event
 *   types.
 */
@Feature({
  folder: __dirname,
  groups: { Webhooks: 'Signed event notifications to your own servers (Standard Webhooks).' },
  scopes: ['webhooks'],
  events: WEBHOOK_EVENTS,
  audits: [webhookAudit],
  mails: [ENDPOINT_DISABLED],
  imports: [
    RetentionModule,
    TypeOrmModule.forFeature([WebhookEndpointEntity, WebhookEventEntity, WebhookDeliveryEntity, WebhookAttemptEntity]),
    UserModule,
    MailModule,
    OutboundHttpModule,
    RateLimitStorageModule,
  ],
  controllers: [WebhookController, WebhookDeliveryController],
  providers: [
    ExpiredEvents,
    SecretCipher,
    SecretRenewal,
    EventBodies,
    EndpointStore,
    WebhookUrls,
    WebhookService,
    WebhookDeliveryService,
    WebhookDirectoryService,
    WebhookResendService,
    WebhookReplayService,
    RequestedDeliveries,
    KeptDeliveries,
    WebhookFanOut,
    DeliveryClaims,
    DeliveryAttempt,
    DeliveryResults,
    EndpointHealth,
    DisabledEndpointMailer,
    ConcurrencyLimiter,
    FairQueue,
    WebhookWorker,
    WebhookOutbox,
    WebhookRetention,
    WebhookPersonalData,
    WebhookMetrics,
    WebhookAttention,
  ],
  exports: [WebhookDirectoryService],
})
export class WebhookModule {
  constructor(kinds: EventKinds) {
    documentEvents(kinds);
  }
}
