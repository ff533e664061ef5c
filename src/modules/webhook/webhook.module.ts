import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RateLimitStorageModule } from '../../common/rate-limit/rate-limit-storage.module';
import { AppConfig } from '../../config/app.config';
import { MailModule } from '../../integrations/mail/mail.module';
import { AllowedHosts } from '../../integrations/outbound-http/allowed-hosts';
import { NameResolver } from '../../integrations/outbound-http/name-resolver';
import { OutboundHttpModule } from '../../integrations/outbound-http/outbound-http.module';
import { OutboundHttpClient } from '../../integrations/outbound-http/outbound-http-client';
import { TargetGuard } from '../../integrations/outbound-http/target.guard';
import { UserModule } from '../user/user.api';
import { DeliveryAttempt } from './delivery/delivery-attempt';
import { DeliveryClaims } from './delivery/delivery-claims';
import { DeliveryResults } from './delivery/delivery-results';
import { EndpointHealth } from './delivery/endpoint-health';
import { EndpointPace } from './delivery/endpoint-pace';
import { EndpointTurns } from './delivery/endpoint-turns';
import { RequestedDeliveries } from './delivery/requested-deliveries';
import { WebhookFanOut } from './delivery/webhook-fan-out';
import { WebhookWorker } from './delivery/webhook-worker';
import { EndpointStore } from './endpoint.store';
import { EndpointOwners } from './endpoint-owners';
import { WebhookAttemptEntity } from './entities/webhook-attempt.entity';
import { WebhookDeliveryEntity } from './entities/webhook-delivery.entity';
import { WebhookEndpointEntity } from './entities/webhook-endpoint.entity';
import { WebhookEventEntity } from './entities/webhook-event.entity';
import { EventBodies } from './event-bodies';
import { EndpointPresence } from './outbox/endpoint-presence';
import { WebhookOutbox } from './outbox/webhook-outbox';
import { SecretCipher } from './secrets/secret-cipher';
import { SecretRenewal } from './secrets/secret-renewal';
import { WebhookConfig } from './webhook.config';
import { WebhookController } from './webhook.controller';
import { WebhookPersonalData } from './webhook.personal-data';
import { WebhookRetention } from './webhook.retention';
import { WebhookService } from './webhook.service';
import { WebhookDeliveryController } from './webhook-delivery.controller';
import { WebhookDeliveryService } from './webhook-delivery.service';
import { WebhookMetrics } from './webhook-metrics';
import { WebhookReplayService } from './webhook-replay.service';
import { WebhookResendService } from './webhook-resend.service';
import { WebhookUrls } from './webhook-urls';

const targetGuard = {
  provide: TargetGuard,
  inject: [AppConfig, WebhookConfig, NameResolver],
  useFactory: ({ isProduction }: AppConfig, { WEBHOOK_ALLOWED_HOSTS }: WebhookConfig, resolver: NameResolver) =>
    new TargetGuard(
      { isHttpsRequired: isProduction, allowedHosts: new AllowedHosts(WEBHOOK_ALLOWED_HOSTS ?? []) },
      resolver,
    ),
};

const outboundHttpClient = {
  provide: OutboundHttpClient,
  inject: [TargetGuard],
  useFactory: (guard: TargetGuard) => new OutboundHttpClient(guard),
};

/** Events to the users' own servers: an outbox that hears every domain event, and a worker that delivers. */
@Module({
  imports: [
    TypeOrmModule.forFeature([WebhookEndpointEntity, WebhookEventEntity, WebhookDeliveryEntity, WebhookAttemptEntity]),
    UserModule,
    MailModule,
    OutboundHttpModule,
    RateLimitStorageModule,
  ],
  controllers: [WebhookController, WebhookDeliveryController],
  providers: [
    targetGuard,
    outboundHttpClient,
    SecretCipher,
    SecretRenewal,
    EndpointOwners,
    EventBodies,
    EndpointStore,
    EndpointPresence,
    WebhookUrls,
    WebhookService,
    WebhookDeliveryService,
    WebhookResendService,
    WebhookReplayService,
    RequestedDeliveries,
    WebhookFanOut,
    DeliveryClaims,
    DeliveryAttempt,
    DeliveryResults,
    EndpointHealth,
    EndpointPace,
    EndpointTurns,
    WebhookWorker,
    WebhookOutbox,
    WebhookRetention,
    WebhookPersonalData,
    WebhookMetrics,
  ],
  exports: [WebhookService],
})
export class WebhookModule {}
