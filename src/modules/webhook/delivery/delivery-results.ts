import { Injectable } from '@nestjs/common';
import { EntityManager, FindOptionsWhere, In } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { caseById } from './case-by-id';
import { DeliveryClaims } from './delivery-claims';
import type { AttemptResult } from './delivery-types';
import { EndpointHealth } from './endpoint-health';
import { retryPause } from './retry-schedule';
import { WebhookAttemptEntity } from './webhook-attempt.entity';
import { WebhookDeliveryEntity } from './webhook-delivery.entity';

/** When a failed delivery is tried again. */
interface Retry {
  at: Date;
  /** Before when the endpoint itself wants no attempt; null when it asked for no pause. */
  notBefore: Date | null;
}

/** Writes down how attempts ended: deliveries, log and endpoints in one transaction for a whole batch. */
@Injectable()
export class DeliveryResults {
  constructor(
    private readonly database: Database,
    private readonly claims: DeliveryClaims,
    private readonly health: EndpointHealth,
    private readonly clock: Clock,
  ) {}

  async write(results: AttemptResult[]): Promise<void> {
    await this.database.write((manager) => this.writeBatch(results, manager));
  }

  private async writeBatch(results: AttemptResult[], manager: EntityManager): Promise<void> {
    const now = this.clock.now();
    const retries = new Map<number, Retry>();
    const succeeded: number[] = [];
    const givenUp: number[] = [];
    const interrupted: number[] = [];
    for (const result of results) {
      const { id } = result.claimed.delivery;
      const retry = retryOf(result, now);
      if (result.outcome === 'succeeded') {
        succeeded.push(id);
      } else if (result.outcome === 'interrupted') {
        interrupted.push(id);
      } else if (retry) {
        retries.set(id, retry);
      } else {
        givenUp.push(id);
      }
    }
    // Endpoints before deliveries would be the order of claiming; no claim holds a delivery that has a live lease.
    await this.complete(succeeded, 'succeeded', now, manager);
    await this.complete(givenUp, 'failed', now, manager);
    await this.plan(retries, now, manager);
    await this.release(interrupted, now, manager);
    await this.log(results, manager);
    await this.health.record(results, now, manager);
  }

  private async complete(
    ids: number[],
    status: 'succeeded' | 'failed',
    now: Date,
    manager: EntityManager,
  ): Promise<void> {
    if (ids.length > 0) {
      await manager.update(WebhookDeliveryEntity, this.own(ids), {
        status,
        attemptCount: () => 'attempt_count + 1',
        nextAttemptAt: null,
        notBefore: null,
        isRequested: false,
        leaseOwner: null,
        lastAttemptAt: now,
        completedAt: now,
      });
    }
  }

  private async plan(retries: Map<number, Retry>, now: Date, manager: EntityManager): Promise<void> {
    if (retries.size === 0) {
      return;
    }
    const times = new Map([...retries].map(([id, { at }]) => [id, at]));
    const askedTimes = new Map([...retries].flatMap(([id, { notBefore }]) => (notBefore ? [[id, notBefore]] : [])));
    const next = caseById('next', times, 'next_attempt_at');
    const asked = caseById('asked', askedTimes, 'NULL');
    await manager
      .createQueryBuilder()
      .update(WebhookDeliveryEntity)
      .set({
        attemptCount: () => 'attempt_count + 1',
        retryStep: () => 'retry_step + 1',
        nextAttemptAt: () => next.sql,
        notBefore: () => asked.sql,
        isRequested: false,
        leaseOwner: null,
        lastAttemptAt: now,
      })
      .where(this.own([...retries.keys()]))
      .setParameters({ ...next.parameters, ...asked.parameters })
      .execute();
  }

  /** What this process stopped itself is due at once, for whichever process comes first. */
  private async release(ids: number[], now: Date, manager: EntityManager): Promise<void> {
    if (ids.length > 0) {
      await manager.update(WebhookDeliveryEntity, this.own(ids), {
        nextAttemptAt: now,
        notBefore: null,
        leaseOwner: null,
      });
    }
  }

  /** Deliveries may have been deleted meanwhile, with their endpoint or user. */
  private async log(results: AttemptResult[], manager: EntityManager): Promise<void> {
    const id = In(results.map(({ claimed }) => claimed.delivery.id));
    const existing = await manager.find(WebhookDeliveryEntity, { select: { id: true }, where: { id } });
    const existingIds = new Set(existing.map((delivery) => delivery.id));
    const attempts = results
      .filter(({ outcome, claimed }) => outcome !== 'interrupted' && existingIds.has(claimed.delivery.id))
      .map(({ claimed, startedAt, durationMilliseconds, statusCode, error, responseBody }) => ({
        deliveryId: claimed.delivery.id,
        startedAt,
        durationMs: durationMilliseconds,
        statusCode,
        error,
        responseBody,
      }));
    if (attempts.length > 0) {
      await manager
        .createQueryBuilder()
        .insert()
        .into(WebhookAttemptEntity)
        .values(attempts)
        .updateEntity(false)
        .execute();
    }
  }

  /** A lease that lapsed may be somebody else's by now: then the result is logged, and decides nothing. */
  private own(ids: number[]): FindOptionsWhere<WebhookDeliveryEntity> {
    return { id: In(ids), leaseOwner: this.claims.owner };
  }
}

/**
 * After the pause of the schedule, or the one that the endpoint asked for where that is longer: short ones would use up in
 * seconds the attempts that are meant for days. Null when there is no further attempt.
 */
function retryOf({ outcome, claimed, retryAfterMilliseconds }: AttemptResult, now: Date): Retry | null {
  const isFinal = outcome === 'refused' || outcome === 'gone' || !claimed.endpoint.isActive;
  const planned = isFinal ? null : retryPause(claimed.delivery.retryStep + 1);
  if (planned === null) {
    return null;
  }
  const after = (milliseconds: number): Date => new Date(now.getTime() + milliseconds);
  return {
    at: after(Math.max(planned, retryAfterMilliseconds ?? 0)),
    notBefore: retryAfterMilliseconds === null ? null : after(retryAfterMilliseconds),
  };
}
