import { Injectable } from '@nestjs/common';
import { EntityManager, In } from 'typeorm';
import { growingCache } from '../../../common/cache/growing-cache';
import { idIn } from '../../../database/statements/row-condition';
import { lockRows } from '../../../database/statements/row-lock';
import { execute } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import type { WebhookDeliveryEntity } from './webhook-delivery.entity';

/*
 * Decides which endpoint is served next, and with how many concurrent attempts. The column `next_due_at` of the
 * endpoints is the queue, so workers do not search the backlogs.
 */

/** How long a claim is valid: the longest attempt, plus the same time to store its result. */
export const LEASE_MILLISECONDS = 60_000;

/** How long an endpoint waits if the capacity for slow endpoints is used up. */
export const STEP_BACK_MILLISECONDS = 1_000;

/** After this many failures in a row, an endpoint gets single attempts with a pause after each. */
export const PROBING_FAILURES = 20;

/** Deliveries claimed in one transaction. The number is small so that no request on SQLite waits long for the lock. */
const DELIVERIES_AT_ONCE = 50;

/** Most concurrent attempts of this process, over all endpoints. */
const MOST_AT_ONCE = 256;

/** The share of failing or slow endpoints, so that the rest is always available to the others. */
const MOST_OF_SLOW_ONES = MOST_AT_ONCE / 2;

const FIRST_LIMIT = 4;
const HIGHEST_LIMIT = 32;

/** A slower response counts as slow. */
const SLOW_MILLISECONDS = 1_000;

/** The columns of an endpoint that claims and attempts need. */
export const ENDPOINT_MEMBERS = [
  'id',
  'userId',
  'url',
  'scope',
  'includeContent',
  'isActive',
  'secret',
  'previousSecrets',
  'heldUntil',
  'failureCount',
  'recoveredAt',
] as const;

export type DueEndpoint = Pick<WebhookEndpointEntity, (typeof ENDPOINT_MEMBERS)[number]>;

export type DueDelivery = Pick<WebhookDeliveryEntity, 'id' | 'endpointId' | 'eventId' | 'attemptCount' | 'retryStep'>;

/** An endpoint's share of a round. */
export interface Allotment {
  endpoint: DueEndpoint;
  /** Most deliveries that the endpoint may get. */
  quota: number;
}

/** Decisions about the endpoints that have due deliveries. */
export interface Round {
  /** Endpoints whose deliveries are claimed. */
  served: Allotment[];
  /** Endpoints that must not get anything yet. */
  held: DueEndpoint[];
  /** Slow endpoints for which no capacity is left. */
  steppingBack: DueEndpoint[];
}

/** The concurrent attempts of one endpoint. */
interface EndpointLoad {
  /** Most concurrent attempts of the endpoint. */
  limit: number;
  underWay: number;
  isSlow: boolean;
}

/**
 * Limits the concurrent attempts of each endpoint. Every quick success raises the limit by one, and every failure or
 * slow response halves it. An endpoint that returns after an outage therefore gets its backlog gradually, and an
 * unreachable one ends up with single attempts.
 */
@Injectable()
export class ConcurrencyLimiter {
  /**
   * Idle endpoints may be evicted and then start from the first limit. Endpoints with running attempts are in use and
   * stay.
   */
  private readonly loads = growingCache<number, EndpointLoad>(50_000);
  private underWay = 0;
  private slowUnderWay = 0;

  /** Attempts that may start now, over all endpoints. */
  get free(): number {
    return MOST_AT_ONCE - this.underWay;
  }

  /** Endpoints that have reached their limit. */
  readonly full = new Set<number>();

  /** Attempts that may start now at this endpoint, regardless of the other endpoints. */
  quotaOf(endpointId: number): number {
    const load = this.loads.get(endpointId);
    if (!load) {
      return FIRST_LIMIT;
    }
    const own = Math.max(0, load.limit - load.underWay);
    return load.isSlow ? Math.min(own, Math.max(0, MOST_OF_SLOW_ONES - this.slowUnderWay)) : own;
  }

  begin(endpointId: number): void {
    const load = this.loadOf(endpointId);
    load.underWay++;
    this.underWay++;
    this.slowUnderWay += load.isSlow ? 1 : 0;
    this.note(endpointId, load);
  }

  /** @param isSuccess null if the attempt does not show whether the endpoint works */
  end(endpointId: number, isSuccess: boolean | null, durationMilliseconds: number): void {
    const load = this.loadOf(endpointId);
    this.slowUnderWay -= load.isSlow ? load.underWay : 0;
    load.underWay--;
    this.underWay--;
    if (isSuccess !== null) {
      load.isSlow = !isSuccess || durationMilliseconds > SLOW_MILLISECONDS;
      load.limit = load.isSlow ? Math.max(1, Math.floor(load.limit / 2)) : Math.min(HIGHEST_LIMIT, load.limit + 1);
    }
    this.slowUnderWay += load.isSlow ? load.underWay : 0;
    this.note(endpointId, load);
  }

  private loadOf(endpointId: number): EndpointLoad {
    const known = this.loads.get(endpointId);
    if (known) {
      return known;
    }
    const load = { limit: FIRST_LIMIT, underWay: 0, isSlow: false };
    this.loads.set(endpointId, load);
    return load;
  }

  private note(endpointId: number, load: EndpointLoad): void {
    if (load.underWay >= load.limit) {
      this.full.add(endpointId);
    } else {
      this.full.delete(endpointId);
    }
  }
}

/** Serves the endpoints in turns, so that none waits for the backlog of another. */
@Injectable()
export class FairQueue {
  constructor(private readonly limiter: ConcurrencyLimiter) {}

  /** @param endpoints endpoints with due deliveries; the one that has waited longest comes first */
  allot(endpoints: DueEndpoint[], now: Date): Round {
    const round: Round = { served: [], held: [], steppingBack: [] };
    let free = Math.min(this.limiter.free, DELIVERIES_AT_ONCE);
    for (const endpoint of endpoints) {
      const quota = Math.min(this.limiter.quotaOf(endpoint.id), isProbed(endpoint) ? 1 : Infinity, free);
      if (endpoint.heldUntil && endpoint.heldUntil > now) {
        round.held.push(endpoint);
      } else if (quota > 0) {
        round.served.push({ endpoint, quota });
        free -= quota;
      } else if (free > 0) {
        round.steppingBack.push(endpoint);
      }
    }
    return round;
  }

  /** Moves each served endpoint to the end of the queue, or out of it until a delivery is due. */
  async requeue(manager: EntityManager, round: Round, taken: DueDelivery[], now: Date): Promise<void> {
    const counts = new Map<number, number>();
    for (const { endpointId } of taken) {
      counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
    }
    const hasMore = ({ endpoint, quota }: Allotment): boolean => (counts.get(endpoint.id) ?? 0) >= quota;
    const endpointsOf = (served: Allotment[]): DueEndpoint[] => served.map(({ endpoint }) => endpoint);
    const emptied = endpointsOf(round.served.filter((allotment) => !hasMore(allotment)));
    const waiting = endpointsOf(round.served.filter(hasMore));
    const probed = endpointsOf(round.served).filter((endpoint) => counts.has(endpoint.id) && isProbed(endpoint));
    const after = (milliseconds: number): Date => new Date(now.getTime() + milliseconds);
    await dueLater(manager, emptied, `next_due_at = ${FIRST_DUE_SQL}, recovered_at = NULL`);
    await update(manager, waiting, { nextDueAt: now });
    await update(manager, round.steppingBack, { nextDueAt: after(STEP_BACK_MILLISECONDS) });
    await dueLater(manager, round.held, 'next_due_at = held_until');
    // No other instance probes until the result of this probe is known, or its lease has expired.
    await update(manager, probed, { heldUntil: after(LEASE_MILLISECONDS) });
  }
}

/** SQL for `next_due_at` of an endpoint: the time when the first delivery that may be sent is due, or null. */
export const FIRST_DUE_SQL =
  '(SELECT next_attempt_at FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id ' +
  'AND next_attempt_at IS NOT NULL AND (webhook_endpoints.is_active = 1 OR is_requested = 1) ' +
  'ORDER BY next_attempt_at LIMIT 1)';

/**
 * Locks endpoints for the rest of the transaction. Code that adds deliveries, or that reads the time of the first due
 * one, must take this lock first: a statement that waits for a row still sees other tables in the state before the
 * wait. SQLite has only one writer at a time anyway.
 */
export async function lockEndpoints(manager: EntityManager, ids: number[]): Promise<void> {
  await lockRows(manager, WebhookEndpointEntity, ids);
}

async function update(
  manager: EntityManager,
  endpoints: DueEndpoint[],
  changes: Partial<WebhookEndpointEntity>,
): Promise<void> {
  if (endpoints.length > 0) {
    await updateRows(manager, WebhookEndpointEntity, changes, { id: In(endpoints.map(({ id }) => id)) });
  }
}

/** @param assignments SQL after SET */
async function dueLater(manager: EntityManager, endpoints: DueEndpoint[], assignments: string): Promise<void> {
  if (endpoints.length > 0) {
    const { condition, parameters } = idIn(endpoints.map(({ id }) => id));
    await execute(manager, `UPDATE webhook_endpoints SET ${assignments} WHERE ${condition}`, parameters);
  }
}

/** After many failures in a row, single attempts detect whether the endpoint works again. */
function isProbed(endpoint: DueEndpoint): boolean {
  return endpoint.failureCount >= PROBING_FAILURES;
}
