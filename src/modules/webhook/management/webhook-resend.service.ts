import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../common/events/domain-events';
import { ActionBudgets } from '../../../common/rate-limit/action-budgets';
import { RequestContext } from '../../../common/security/request-context';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { RequestedDeliveries } from '../delivery/requested-deliveries';
import { webhookAction } from '../endpoint/webhook.audit';
import { webhookTest } from '../endpoint/webhook.events';
import { WebhookOutbox } from '../outbox/webhook-outbox';
import { DeliveryDto, toDeliveryDto } from './delivery.dto';
import { WebhookService } from './webhook.service';
import { WebhookDeliveryService } from './webhook-delivery.service';

/** Most test events per endpoint. Each is a request to a server that may belong to another party. */
const TESTS = { name: 'webhook-test', limit: 10, milliseconds: HOUR_MILLISECONDS };

/** Sends single events on request, even to an endpoint that is switched off. */
@Injectable()
export class WebhookResendService {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookService,
    private readonly deliveries: WebhookDeliveryService,
    private readonly requested: RequestedDeliveries,
    private readonly outbox: WebhookOutbox,
    private readonly events: DomainEvents,
    private readonly budgets: ActionBudgets,
  ) {}

  /**
   * Sends `webhook.test` to the endpoint, regardless of its subscriptions.
   *
   * @throws WebhookNotFoundError, RateLimitExceededError
   */
  async test(userId: number, endpointId: number): Promise<DeliveryDto> {
    await this.webhooks.owned(userId, endpointId);
    await this.budgets.take(TESTS, endpointId);
    return this.database.write(async (manager) => {
      const endpoint = await this.webhooks.owned(userId, endpointId);
      const event = await this.outbox.recordFor(manager, endpointId, webhookTest(endpoint));
      const [delivery] = await this.requested.add(manager, endpointId, [event]);
      await this.requested.makeDue(manager, endpointId);
      const after = toDeliveryDto(delivery!, event.publicId);
      const change = { before: null, after, about: { delivery_id: after.id } };
      await this.events.publish(manager, webhookAction('test', endpoint, change));
      return after;
    });
  }

  /** Sends a delivery again, with the same `webhook-id`. @throws WebhookNotFoundError, DeliveryNotFoundError */
  async redeliver({ principal }: RequestContext, endpointId: number, deliveryId: number): Promise<DeliveryDto> {
    return this.database.write(async (manager) => {
      const endpoint = await this.webhooks.owned(principal.userId, endpointId);
      const before = await this.deliveries.show(principal, endpointId, deliveryId);
      await this.requested.putBack(manager, [deliveryId], false);
      await this.requested.makeDue(manager, endpointId);
      const after = await this.deliveries.show(principal, endpointId, deliveryId);
      const change = { before, after, about: { delivery_id: deliveryId } };
      await this.events.publish(manager, webhookAction('redeliver', endpoint, change));
      return after;
    });
  }
}
