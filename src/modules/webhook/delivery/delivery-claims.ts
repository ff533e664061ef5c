import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager, In, IsNull, LessThanOrEqual, Not } from 'typeorm';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { Tracing } from '../../../common/tracing/tracing';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRows } from '../../../database/statements/find';
import { queryRows } from '../../../database/statements/query';
import { idIn } from '../../../database/statements/row-condition';
import { execute } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { UserDirectoryQuery } from '../../user/user.api';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { WebhookEventEntity } from '../outbox/webhook-event.entity';
import {
  type Allotment,
  ConcurrencyLimiter,
  DueDelivery,
  DueEndpoint,
  ENDPOINT_MEMBERS,
  FairQueue,
  FIRST_DUE_SQL,
  LEASE_MILLISECONDS,
  PROBING_FAILURES,
  STEP_BACK_MILLISECONDS,
} from './fair-queue';
import { WebhookDeliveryEntity } from './webhook-delivery.entity';

/** Endpoints examined in one step. */
const ENDPOINTS_AT_ONCE = 32;

/** Longer than the longest pause of the retry schedule, so that every planned attempt is due before it. */
const HORIZON_MILLISECONDS = 36 * HOUR_MILLISECONDS;

/** For endpoints whose leases have ended. A running probe has blocked other probes. */
const DUE_AGAIN =
  `held_until = CASE WHEN failure_count >= ${PROBING_FAILURES} THEN NULL ELSE held_until END, ` +
  `next_due_at = ${FIRST_DUE_SQL}`;

const EVENT_MEMBERS = ['id', 'publicId', 'type', 'userId', 'endpointId', 'data', 'content', 'occurredAt'] as const;

/** A delivery that only this worker may attempt until its lease expires. */
export interface ClaimedDelivery {
  delivery: DueDelivery;
  /** The endpoint when the delivery was claimed. */
  endpoint: DueEndpoint;
  event: Pick<WebhookEventEntity, (typeof EVENT_MEMBERS)[number] | 'span'>;
  /** False if the event belongs to another user and the endpoint's owner is no longer an administrator. */
  isPermitted: boolean;
}

export interface ClaimedDeliveries {
  claimed: ClaimedDelivery[];
  /** When to look again if nothing was claimed. Null if no delivery is scheduled. */
  nextDueAt: Date | null;
}

/**
 * Claims due deliveries for this worker. Endpoints take turns, and the one that has waited longest comes first. Only
 * the worker that holds an endpoint's row claims its deliveries. The lease that it writes outlives the transaction.
 */
@Injectable()
export class DeliveryClaims {
  /** Identifies this process in leases. */
  readonly owner = randomUUID();

  constructor(
    private readonly database: Database,
    private readonly users: UserDirectoryQuery,
    private readonly limiter: ConcurrencyLimiter,
    private readonly queue: FairQueue,
    private readonly clock: SharedClock,
    private readonly tracing: Tracing,
  ) {
    if (!database.isShared) {
      // A SQLite file has one process, so leases that exist at its start belong to a dead process.
      database.onReady(() => this.endLeftLeases());
    }
  }

  async claim(): Promise<ClaimedDeliveries> {
    const now = this.clock.now();
    const candidates = await this.findCandidates();
    const dueIds = candidates.filter(({ nextDueAt }) => nextDueAt && nextDueAt <= now).map(({ id }) => id);
    if (dueIds.length === 0) {
      return { claimed: [], nextDueAt: candidates[0]?.nextDueAt ?? null };
    }
    const { endpoints, deliveries } = await this.database.write(async (manager) => {
      const endpoints = await this.lockStillDue(manager, dueIds, now);
      const round = this.queue.allot(endpoints, now);
      const deliveries = await findDueDeliveries(manager, round.served, now);
      await this.lease(manager, deliveries, now);
      await this.queue.requeue(manager, round, deliveries, now);
      return { endpoints, deliveries };
    });
    const claimed = await this.withEvents(deliveries, endpoints);
    return { claimed, nextDueAt: new Date(now.getTime() + STEP_BACK_MILLISECONDS) };
  }

  /** Makes deliveries due that a dead process was sending, and allows new probes of endpoints that it was probing. */
  private endLeftLeases(): Promise<void> {
    return this.database.write(async (manager) => {
      const leased = { leaseOwner: Not(IsNull()) };
      const left = await findRows(manager, WebhookDeliveryEntity, leased, { members: ['endpointId'] });
      if (left.length === 0) {
        return;
      }
      const { condition, parameters } = idIn([...new Set(left.map(({ endpointId }) => endpointId))]);
      await updateRows(manager, WebhookDeliveryEntity, { leaseOwner: null, nextAttemptAt: this.clock.now() }, leased);
      await execute(manager, `UPDATE webhook_endpoints SET ${DUE_AGAIN} WHERE ${condition}`, parameters);
    });
  }

  private findCandidates(): Promise<Pick<WebhookEndpointEntity, 'id' | 'nextDueAt'>[]> {
    const full = [...this.limiter.full];
    const hasRoom = { nextDueAt: Not(IsNull()), ...(full.length > 0 && { id: Not(In(full)) }) };
    return findRows(this.database.manager, WebhookEndpointEntity, hasRoom, {
      members: ['id', 'nextDueAt'],
      order: { nextDueAt: 'ASC' },
      limit: ENDPOINTS_AT_ONCE,
    });
  }

  /** Another worker may have claimed them since they were found. */
  private lockStillDue(manager: EntityManager, ids: number[], now: Date): Promise<DueEndpoint[]> {
    const stillDue = { id: In(ids), nextDueAt: LessThanOrEqual(now) };
    return findRows(manager, WebhookEndpointEntity, stillDue, {
      members: ENDPOINT_MEMBERS,
      order: { nextDueAt: 'ASC' },
      lock: 'skip',
    });
  }

  private async lease(manager: EntityManager, deliveries: DueDelivery[], now: Date): Promise<void> {
    if (deliveries.length > 0) {
      const lease = { leaseOwner: this.owner, nextAttemptAt: new Date(now.getTime() + LEASE_MILLISECONDS) };
      await updateRows(manager, WebhookDeliveryEntity, lease, { id: In(deliveries.map(({ id }) => id)) });
    }
  }

  private async withEvents(deliveries: DueDelivery[], endpoints: DueEndpoint[]): Promise<ClaimedDelivery[]> {
    if (deliveries.length === 0) {
      return [];
    }
    const ids = [...new Set(deliveries.map(({ eventId }) => eventId))];
    const { manager } = this.database;
    const members = this.tracing.isOn ? ([...EVENT_MEMBERS, 'span'] as const) : EVENT_MEMBERS;
    const found: ClaimedDelivery['event'][] = await findRows(manager, WebhookEventEntity, { id: In(ids) }, { members });
    const events = new Map(found.map((event) => [event.id, event]));
    const endpointsById = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    const named = new Set(found.flatMap(({ userId, endpointId }) => (userId === null ? (endpointId ?? []) : [])));
    const sharing = endpoints.filter(({ id, scope }) => scope === 'all' || named.has(id));
    const administrators = await this.users.administratorsAmong(sharing.map(({ userId }) => userId));
    const suspended = await this.users.suspendedAmong(endpoints.map(({ userId }) => userId));
    return deliveries.flatMap((delivery) => {
      const endpoint = endpointsById.get(delivery.endpointId);
      const event = events.get(delivery.eventId);
      if (!endpoint || !event) {
        return [];
      }
      const isOwn = event.userId === endpoint.userId;
      const isShared = endpoint.scope === 'all' || event.endpointId === endpoint.id;
      const isPermitted =
        (isOwn && !suspended.has(endpoint.userId)) || (isShared && administrators.has(endpoint.userId));
      return [{ delivery, endpoint, event, isPermitted }];
    });
  }
}

/**
 * The first due deliveries of each endpoint. One query serves all endpoints with one index lookup each, so the cost
 * does not depend on the size of any backlog.
 */
async function findDueDeliveries(manager: EntityManager, allotments: Allotment[], now: Date): Promise<DueDelivery[]> {
  if (allotments.length === 0) {
    return [];
  }
  const horizon = new Date(now.getTime() + HORIZON_MILLISECONDS);
  const parameters: (number | Date)[] = [];
  const parts = allotments.map(({ endpoint, quota }, index) => {
    let due = 'next_attempt_at <= ?';
    let values: Date[] = [now];
    if (!endpoint.isActive) {
      due = `${due} AND is_requested = 1`;
    } else if (endpoint.recoveredAt) {
      const failedBefore = '(last_attempt_at IS NULL OR last_attempt_at < ?)';
      const isUnasked = '(not_before IS NULL OR not_before <= ?)';
      due = `next_attempt_at <= ? AND (${due} OR (lease_owner IS NULL AND ${failedBefore} AND ${isUnasked}))`;
      values = [horizon, now, endpoint.recoveredAt, now];
    }
    parameters.push(endpoint.id, ...values, quota);
    return (
      `SELECT * FROM (SELECT id, endpoint_id AS "endpointId", event_id AS "eventId", attempt_count AS "attemptCount", ` +
      `retry_step AS "retryStep" FROM webhook_deliveries WHERE endpoint_id = ? AND ${due} ` +
      `ORDER BY next_attempt_at LIMIT ?) AS part${index}`
    );
  });
  return queryRows(manager, parts.join(' UNION ALL '), parameters);
}
