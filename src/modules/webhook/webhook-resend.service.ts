import { Injectable } from '@nestjs/common';
import { Brackets, EntityManager, In } from 'typeorm';
import { Clock } from '../../common/clock';
import { ValidationFailedError } from '../../common/errors/validation.errors';
import { DomainEvents } from '../../common/events/domain-events';
import { FallbackThrottlerStorage } from '../../common/rate-limit/fallback-throttler.storage';
import { RateLimitExceededError } from '../../common/rate-limit/rate-limit.errors';
import { Principal } from '../../common/security/principal';
import { firstInstantOf, lastInstantOf } from '../../common/validation/times';
import { Database } from '../../database/database';
import { WebhookWorker } from './delivery/webhook.worker';
import { ReplayDto } from './dto/delivery-query.dto';
import { DeliveryDto, ReplayResultDto, toDeliveryDto } from './dto/delivery.dto';
import { newDelivery } from './delivery/new-delivery';
import { DeliveryStatus, WebhookDelivery } from './entities/webhook-delivery.entity';
import { WebhookEndpoint } from './entities/webhook-endpoint.entity';
import { WebhookOutbox } from './outbox/webhook.outbox';
import { visibleTo } from './visible-deliveries';
import { WebhookDeliveryService } from './webhook-delivery.service';
import { WEBHOOK_TEST, webhookAction } from './webhook.events';
import { WebhookService } from './webhook.service';

/** Deliveries put back in one transaction, so that a long replay holds up nobody. */
const REPLAY_BATCH = 500;

/** Test events to an endpoint within an hour: each is a request to a server that somebody else may own. */
const TESTS_PER_HOUR = 10;
const HOUR_MILLISECONDS = 3_600_000;

/** Sends on request: tests, single deliveries and whole periods. */
@Injectable()
export class WebhookResendService {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhookService,
    private readonly deliveries: WebhookDeliveryService,
    private readonly outbox: WebhookOutbox,
    private readonly worker: WebhookWorker,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly windows: FallbackThrottlerStorage,
  ) {}

  /** Sends `webhook.test` to the endpoint, whatever it has subscribed to. @throws WebhookNotFoundError, RateLimitExceededError */
  async test(principal: Principal, endpointId: number): Promise<DeliveryDto> {
    await this.webhooks.owned(principal, endpointId);
    await this.countTest(endpointId);
    return this.database.write(async (manager) => {
      const endpoint = await this.webhooks.owned(principal, endpointId);
      const message = { type: WEBHOOK_TEST, userId: endpoint.userId, data: { webhook_id: endpointId } };
      const event = await this.outbox.recordFor(endpointId, message, manager);
      const delivery = newDelivery(endpointId, event, this.clock.now());
      const { identifiers } = await manager.insert(WebhookDelivery, delivery);
      await this.makeDue(endpointId, manager);
      const after = toDeliveryDto({ ...delivery, id: Number(identifiers[0]?.id) }, event.publicId);
      const change = { delivery_id: after.id, before: null, after };
      await this.events.publish(manager, webhookAction('test', endpoint, change));
      return after;
    });
  }

  /** Sends a delivery once more, under the same `webhook-id`. @throws WebhookNotFoundError, DeliveryNotFoundError */
  async redeliver(principal: Principal, endpointId: number, deliveryId: number): Promise<DeliveryDto> {
    return this.database.write(async (manager) => {
      const endpoint = await this.webhooks.owned(principal, endpointId);
      const before = await this.deliveries.show(principal, endpointId, deliveryId);
      await this.putBack([deliveryId], manager);
      await this.makeDue(endpointId, manager);
      const after = await this.deliveries.show(principal, endpointId, deliveryId);
      const change = { delivery_id: deliveryId, before, after };
      await this.events.publish(manager, webhookAction('redeliver', endpoint, change));
      return after;
    });
  }

  /** Sends the events of a period once more. @throws WebhookNotFoundError, ValidationFailedError */
  async replay(principal: Principal, endpointId: number, body: ReplayDto): Promise<ReplayResultDto> {
    const endpoint = await this.webhooks.owned(principal, endpointId);
    const from = firstInstantOf(body.from);
    const to = body.to === undefined ? this.clock.now() : lastInstantOf(body.to);
    if (from > to) {
      throw ValidationFailedError.of('to', 'conflicts');
    }
    const statuses: DeliveryStatus[] = body.only_failed === false ? ['failed', 'succeeded'] : ['failed'];
    const ids = await this.finished(principal, endpointId, from, to, statuses);
    const after = { from, to, only_failed: body.only_failed ?? true, deliveries: ids.length };
    // Before the first is sent: the whole takes more than one transaction.
    await this.database.write((manager) =>
      this.events.publish(manager, webhookAction('replay', endpoint, { before: null, after })),
    );
    let replayed = 0;
    for (let start = 0; start < ids.length; start += REPLAY_BATCH) {
      replayed += await this.database.write(async (manager) => {
        const count = await this.putBack(ids.slice(start, start + REPLAY_BATCH), manager);
        await this.makeDue(endpointId, manager);
        return count;
      });
    }
    return { replayed };
  }

  private async countTest(endpointId: number): Promise<void> {
    const budget = 'webhook-test';
    const key = `${budget}:${endpointId}`;
    const count = await this.windows.increment(key, HOUR_MILLISECONDS, TESTS_PER_HOUR, HOUR_MILLISECONDS, budget);
    if (count.isBlocked) {
      throw new RateLimitExceededError(TESTS_PER_HOUR, count.timeToBlockExpire);
    }
  }

  /** Known before the first is sent: what is sent and fails meanwhile must not be found again. */
  private async finished(
    principal: Principal,
    endpointId: number,
    from: Date,
    to: Date,
    statuses: DeliveryStatus[],
  ): Promise<number[]> {
    const deliveries = await visibleTo(
      principal,
      this.database.repository(WebhookDelivery).createQueryBuilder('delivery'),
    )
      .select('delivery.id', 'id')
      .where('delivery.endpointId = :endpointId', { endpointId })
      .andWhere('delivery.createdAt BETWEEN :from AND :to', { from, to })
      .andWhere('delivery.status IN (:...statuses)', { statuses })
      .orderBy('delivery.id')
      .getRawMany<{ id: number }>();
    return deliveries.map(({ id }) => id);
  }

  /** Starts a new round of attempts; an attempt under way is left alone. */
  private async putBack(ids: number[], manager: EntityManager): Promise<number> {
    const now = this.clock.now();
    const { affected } = await manager
      .createQueryBuilder()
      .update(WebhookDelivery)
      .set({
        status: 'pending',
        retryStep: 0,
        nextAttemptAt: now,
        notBefore: null,
        leaseOwner: null,
        completedAt: null,
      })
      .where({ id: In(ids) })
      .andWhere(new Brackets((lease) => lease.where('lease_owner IS NULL').orWhere('next_attempt_at <= :now', { now })))
      .execute();
    return affected ?? 0;
  }

  /** The owner knows best that now is the time to call the endpoint; other deliveries wait for theirs all the same. */
  private async makeDue(endpointId: number, manager: EntityManager): Promise<void> {
    await manager.update(WebhookEndpoint, { id: endpointId }, { nextDueAt: this.clock.now(), heldUntil: null });
    this.database.onCommit(() => this.worker.wake());
  }
}
