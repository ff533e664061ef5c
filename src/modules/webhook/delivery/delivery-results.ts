import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, type FindOptionsWhere, In } from 'typeorm';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { toApiError } from '../../../common/errors/to-api-error';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRows } from '../../../database/statements/find';
import { insertBatch } from '../../../database/statements/insert';
import { rowCondition } from '../../../database/statements/row-condition';
import { executeOnce } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import type { AttemptResult } from './delivery-attempt';
import { DeliveryClaims } from './delivery-claims';
import { EndpointHealth } from './endpoint-health';
import { KeptDeliveries, MOST_ATTEMPTS } from './kept-deliveries';
import { retryPause } from './retry-schedule';
import { WebhookAttemptEntity, WebhookDeliveryEntity } from './webhook-delivery.entity';

/** Most results stored in one transaction. */
const LARGEST_BATCH = 100;

/** How long a result waits for others to join its batch. */
const GATHERING_MILLISECONDS = 25;

/** Pause after a batch could not be stored. */
const STORING_AGAIN_MILLISECONDS = 1_000;

interface WaitingResult {
  result: AttemptResult;
  onStored: () => void;
}

/** When a failed delivery is tried again. */
interface Retry {
  at: Date;
  /** The endpoint requested no attempt before this time. Null if it requested no pause. */
  notBefore: Date | null;
}

/** Stores the results of attempts: deliveries, log and endpoints of a whole batch in one transaction. */
@Injectable()
export class DeliveryResults {
  private readonly logger = new Logger(DeliveryResults.name);
  private readonly waiting: WaitingResult[] = [];
  private isStoring = false;

  constructor(
    private readonly database: Database,
    private readonly claims: DeliveryClaims,
    private readonly health: EndpointHealth,
    private readonly kept: KeptDeliveries,
    private readonly clock: SharedClock,
  ) {}

  /**
   * Resolves when the result is stored. While the database is unavailable, the result is kept in memory until the
   * process stops. Then the lease expires, and another process repeats the attempt.
   *
   * @param stopping aborted when the process stops
   */
  store(result: AttemptResult, stopping: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ result, onStored: resolve });
      if (!this.isStoring) {
        this.isStoring = true;
        void this.storeAll(stopping);
      }
    });
  }

  private async storeAll(stopping: AbortSignal): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.waiting.length < LARGEST_BATCH) {
        await delay(GATHERING_MILLISECONDS);
      }
      const left = await this.storeOrReturn(this.waiting.splice(0, LARGEST_BATCH));
      if (stopping.aborted) {
        left.forEach(({ onStored }) => onStored());
      } else if (left.length > 0) {
        await delay(STORING_AGAIN_MILLISECONDS, undefined, { ref: false });
        // Newer results come first, because the database may accept them even if it never accepts these.
        this.waiting.push(...left);
      }
    }
    this.isStoring = false;
  }

  /**
   * @returns the results that could not be stored: all while the database is unavailable, otherwise those that it
   * rejects even individually
   */
  private async storeOrReturn(batch: WaitingResult[]): Promise<WaitingResult[]> {
    try {
      const results = batch.map(({ result }) => result);
      await this.database.write((manager) => this.storeBatch(manager, results));
      batch.forEach(({ onStored }) => onStored());
      return [];
    } catch (error) {
      this.logger.warn({ error }, 'Results of webhook deliveries could not be stored.');
      if (batch.length === 1 || toApiError(error) instanceof ServiceUnavailableError) {
        return batch;
      }
    }
    const left: WaitingResult[] = [];
    for (const one of batch) {
      left.push(...(await this.storeOrReturn([one])));
    }
    return left;
  }

  private async storeBatch(manager: EntityManager, results: AttemptResult[]): Promise<void> {
    const now = this.clock.now();
    const succeeded: number[] = [];
    const givenUp: number[] = [];
    const interrupted: number[] = [];
    const retries = new Map<number, Retry>();
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
    // Claims lock endpoints before deliveries, in the opposite order. This cannot deadlock, because no claim holds a
    // delivery with a valid lease.
    const completed = await this.complete(manager, succeeded, 'succeeded', now);
    await this.complete(manager, givenUp, 'failed', now);
    await this.planRetries(manager, retries, now);
    await this.release(manager, interrupted, now);
    await this.log(manager, completed === results.length ? results : await withDelivery(manager, results));
    await this.health.record(manager, results, now);
  }

  /** Returns the number of deliveries that this worker still owned. */
  private async complete(
    manager: EntityManager,
    ids: number[],
    status: 'succeeded' | 'failed',
    now: Date,
  ): Promise<number> {
    if (ids.length === 0) {
      return 0;
    }
    const change = {
      status,
      nextAttemptAt: null,
      notBefore: null,
      isRequested: false,
      leaseOwner: null,
      lastAttemptAt: now,
      completedAt: now,
    };
    return updateRows(manager, WebhookDeliveryEntity, change, this.own(ids), [], { attempt_count: 1 });
  }

  private async planRetries(manager: EntityManager, retries: Map<number, Retry>, now: Date): Promise<void> {
    if (retries.size === 0) {
      return;
    }
    const times = [...retries].map(([id, { at }]) => [id, at] as const);
    const askedTimes = [...retries].flatMap(([id, { notBefore }]) => (notBefore ? [[id, notBefore] as const] : []));
    const next = timeById(times, 'next_attempt_at');
    const asked = timeById(askedTimes, 'NULL');
    const { condition, parameters } = rowCondition(manager, WebhookDeliveryEntity, this.own([...retries.keys()]));
    await executeOnce(
      manager,
      `UPDATE webhook_deliveries SET attempt_count = attempt_count + 1, retry_step = retry_step + 1,
       next_attempt_at = ${next.sql}, not_before = ${asked.sql}, is_requested = ?, lease_owner = NULL, last_attempt_at = ?
       WHERE ${condition}`,
      [...next.parameters, ...asked.parameters, false, now, ...parameters],
    );
  }

  /** Deliveries that this process interrupted are due at once, for any process. */
  private async release(manager: EntityManager, ids: number[], now: Date): Promise<void> {
    if (ids.length > 0) {
      const due = { nextAttemptAt: now, notBefore: null, leaseOwner: null };
      await updateRows(manager, WebhookDeliveryEntity, due, this.own(ids));
    }
  }

  private async log(manager: EntityManager, results: AttemptResult[]): Promise<void> {
    const ended = results.filter(({ outcome }) => outcome !== 'interrupted');
    const attempts = ended.map(({ claimed, durationMilliseconds, startedAt, statusCode, error, responseBody }) => ({
      deliveryId: claimed.delivery.id,
      durationMs: durationMilliseconds,
      startedAt,
      statusCode,
      error,
      responseBody,
    }));
    await insertBatch(manager, WebhookAttemptEntity, attempts);
    const often = ended.filter(({ claimed: { delivery } }) => delivery.attemptCount >= MOST_ATTEMPTS);
    await this.kept.limitAttempts(
      manager,
      often.map(({ claimed: { delivery } }) => delivery.id),
    );
  }

  /**
   * After its lease expires, a delivery may belong to another worker. Then the result is logged but has no other
   * effect.
   */
  private own(ids: number[]): FindOptionsWhere<WebhookDeliveryEntity> {
    return { id: In(ids), leaseOwner: this.claims.owner };
  }
}

/** Results whose delivery still exists. It may have been deleted together with its endpoint or user. */
async function withDelivery(manager: EntityManager, results: AttemptResult[]): Promise<AttemptResult[]> {
  const id = In(results.map(({ claimed }) => claimed.delivery.id));
  const existing = await findRows(manager, WebhookDeliveryEntity, { id }, { members: ['id'] });
  const existingIds = new Set(existing.map((delivery) => delivery.id));
  return results.filter(({ claimed }) => existingIds.has(claimed.delivery.id));
}

/**
 * The retry follows the schedule, or the pause that the endpoint requested if that is longer. Shorter requested pauses
 * do not count: they would use up within seconds the attempts that are planned for days. Null if there is no further
 * attempt.
 */
function retryOf({ outcome, claimed, requestedPauseMilliseconds }: AttemptResult, now: Date): Retry | null {
  const isFinal = outcome === 'refused' || outcome === 'gone' || !claimed.endpoint.isActive;
  const planned = isFinal ? null : retryPause(claimed.delivery.retryStep + 1);
  if (planned === null) {
    return null;
  }
  const after = (milliseconds: number): Date => new Date(now.getTime() + milliseconds);
  return {
    at: after(Math.max(planned, requestedPauseMilliseconds ?? 0)),
    notBefore: requestedPauseMilliseconds === null ? null : after(requestedPauseMilliseconds),
  };
}

/** SQL for times that differ between rows, so that one statement is enough. */
function timeById(
  times: (readonly [id: number, time: Date])[],
  otherwise: string,
): { sql: string; parameters: (number | Date)[] } {
  const branches = times.map(() => 'WHEN ? THEN ?').join(' ');
  const sql = times.length === 0 ? otherwise : `CASE id ${branches} ELSE ${otherwise} END`;
  return { sql, parameters: times.flat() };
}
