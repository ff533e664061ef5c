import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EntityManager, In } from 'typeorm';
import { lockRows } from '../../../database/statements/row-lock';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import type { WebhookDeliveryEntity } from './webhook-delivery.entity';

/*
 * Which endpoint is served next, and with how many attempts at once. The queue of the endpoints is their column
 * `next_due_at`: workers look there and not into the backlogs.
 */

/** How long a claim holds: the longest attempt, and as much again for storing its result. */
export const LEASE_MILLISECONDS = 60_000;

/** How long an endpoint steps back while all room for slow ones is taken. */
export const STEP_BACK_MILLISECONDS = 1_000;

/** Failures in a row from which an endpoint gets one attempt at a time, with a pause after each. */
export const PROBING_FAILURES = 20;

/** Deliveries taken in one transaction: so few that no request on SQLite waits long for its turn. */
const DELIVERIES_AT_ONCE = 50;

/** Attempts of this process under way at once, over all endpoints. */
const MOST_AT_ONCE = 256;

/** The part of them that failing or slow endpoints may hold together, so that the others always have the rest. */
const MOST_OF_SLOW_ONES = MOST_AT_ONCE / 2;

const FIRST_LIMIT = 4;
const HIGHEST_LIMIT = 32;

/** An answer after this time is slow. */
const SLOW_MILLISECONDS = 1_000;

/** What claims and attempts need to know of an endpoint. */
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

export interface Turn {
  endpoint: DueEndpoint;
  /** Deliveries that it may get at most. */
  quota: number;
}

/** What is done with the endpoints that have something due. */
export interface Turns {
  /** Deliveries are taken for these. */
  served: Turn[];
  /** Nothing may be sent to these yet. */
  held: DueEndpoint[];
  /** Slow ones for which there is no room now. */
  steppingBack: DueEndpoint[];
}

interface Pace {
  limit: number;
  underWay: number;
  isSlow: boolean;
}

/**
 * How many attempts each endpoint may have under way. An endpoint earns one more with every quick success and loses half
 * with every failure or slow answer. So an endpoint that returns after an outage gets its backlog gently, and a dead one
 * ends up with a single attempt at a time.
 */
@Injectable()
export class EndpointPace {
  /** Idle endpoints are forgotten and start anew; those with attempts under way are in use and stay. */
  private readonly paces = new LRUCache<number, Pace>({ maxSize: 50_000, sizeCalculation: () => 1 });
  private underWay = 0;
  private slowUnderWay = 0;

  /** Attempts that may begin now, over all endpoints. */
  get free(): number {
    return MOST_AT_ONCE - this.underWay;
  }

  /** Endpoints that have as many attempts under way as they may. */
  readonly full = new Set<number>();

  /** Attempts that may begin now at this endpoint, whatever the others do. */
  quotaOf(endpointId: number): number {
    const pace = this.paces.get(endpointId);
    if (!pace) {
      return FIRST_LIMIT;
    }
    const own = Math.max(0, pace.limit - pace.underWay);
    return pace.isSlow ? Math.min(own, Math.max(0, MOST_OF_SLOW_ONES - this.slowUnderWay)) : own;
  }

  begin(endpointId: number): void {
    const pace = this.paceOf(endpointId);
    pace.underWay++;
    this.underWay++;
    this.slowUnderWay += pace.isSlow ? 1 : 0;
    this.note(endpointId, pace);
  }

  /** @param isSuccess null when the attempt says nothing about the endpoint */
  end(endpointId: number, isSuccess: boolean | null, durationMilliseconds: number): void {
    const pace = this.paceOf(endpointId);
    this.slowUnderWay -= pace.isSlow ? pace.underWay : 0;
    pace.underWay--;
    this.underWay--;
    if (isSuccess !== null) {
      pace.isSlow = !isSuccess || durationMilliseconds > SLOW_MILLISECONDS;
      pace.limit = pace.isSlow ? Math.max(1, Math.floor(pace.limit / 2)) : Math.min(HIGHEST_LIMIT, pace.limit + 1);
    }
    this.slowUnderWay += pace.isSlow ? pace.underWay : 0;
    this.note(endpointId, pace);
  }

  private paceOf(endpointId: number): Pace {
    const known = this.paces.get(endpointId);
    if (known) {
      return known;
    }
    const pace = { limit: FIRST_LIMIT, underWay: 0, isSlow: false };
    this.paces.set(endpointId, pace);
    return pace;
  }

  private note(endpointId: number, pace: Pace): void {
    if (pace.underWay >= pace.limit) {
      this.full.add(endpointId);
    } else {
      this.full.delete(endpointId);
    }
  }
}

/** Lets the endpoints take turns, so that none waits for the backlog of another. */
@Injectable()
export class EndpointTurns {
  constructor(private readonly pace: EndpointPace) {}

  /** @param endpoints with something due, the longest waiting one first */
  allot(endpoints: DueEndpoint[], now: Date): Turns {
    const turns: Turns = { served: [], held: [], steppingBack: [] };
    let free = Math.min(this.pace.free, DELIVERIES_AT_ONCE);
    for (const endpoint of endpoints) {
      const quota = Math.min(this.pace.quotaOf(endpoint.id), isProbed(endpoint) ? 1 : Infinity, free);
      if (endpoint.heldUntil && endpoint.heldUntil > now) {
        turns.held.push(endpoint);
      } else if (quota > 0) {
        turns.served.push({ endpoint, quota });
        free -= quota;
      } else if (free > 0) {
        turns.steppingBack.push(endpoint);
      }
    }
    return turns;
  }

  /** Sends each endpoint that had its turn to the end of the queue, or out of it until something falls due. */
  async passOn(manager: EntityManager, turns: Turns, taken: DueDelivery[], now: Date): Promise<void> {
    const counts = new Map<number, number>();
    for (const { endpointId } of taken) {
      counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
    }
    const hasMore = ({ endpoint, quota }: Turn): boolean => (counts.get(endpoint.id) ?? 0) >= quota;
    const endpointsOf = (served: Turn[]): DueEndpoint[] => served.map(({ endpoint }) => endpoint);
    const emptied = endpointsOf(turns.served.filter((turn) => !hasMore(turn)));
    const waiting = endpointsOf(turns.served.filter(hasMore));
    const probed = endpointsOf(turns.served).filter((endpoint) => counts.has(endpoint.id) && isProbed(endpoint));
    const after = (milliseconds: number): Date => new Date(now.getTime() + milliseconds);
    await update(manager, emptied, { nextDueAt: () => FIRST_DUE_SQL, recoveredAt: null });
    await update(manager, waiting, { nextDueAt: now });
    await update(manager, turns.steppingBack, { nextDueAt: after(STEP_BACK_MILLISECONDS) });
    await update(manager, turns.held, { nextDueAt: () => 'held_until' });
    // Until the result of a probe is known, or lost with the process, no other instance probes.
    await update(manager, probed, { heldUntil: after(LEASE_MILLISECONDS) });
  }
}

/** SQL for `next_due_at` of an endpoint: when the first of the deliveries that it may get falls due, or null. */
export const FIRST_DUE_SQL =
  '(SELECT next_attempt_at FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id ' +
  'AND next_attempt_at IS NOT NULL AND (webhook_endpoints.is_active = 1 OR is_requested = 1) ' +
  'ORDER BY next_attempt_at LIMIT 1)';

/**
 * Locks endpoints for the rest of the transaction. Code that adds deliveries, or that reads the time of the first due one,
 * takes this lock first: a statement that waits for a row still reads other tables as they were before the wait. SQLite
 * has one writer at a time anyway.
 */
export async function lockEndpoints(manager: EntityManager, ids: number[]): Promise<void> {
  await lockRows(manager, WebhookEndpointEntity, ids);
}

async function update(
  manager: EntityManager,
  endpoints: DueEndpoint[],
  changes: Parameters<EntityManager['update']>[2],
): Promise<void> {
  if (endpoints.length > 0) {
    await manager.update(WebhookEndpointEntity, { id: In(endpoints.map(({ id }) => id)) }, changes);
  }
}

/** After many failures in a row one attempt at a time finds out whether the endpoint is back. */
function isProbed(endpoint: DueEndpoint): boolean {
  return endpoint.failureCount >= PROBING_FAILURES;
}
