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

/** What one endpoint gets in a round. */
export interface Allotment {
  endpoint: DueEndpoint;
  /** Deliveries that it may get at most. */
  quota: number;
}

/** What is done with the endpoints that have something due. */
export interface Round {
  /** Deliveries are taken for these. */
  served: Allotment[];
  /** Nothing may be sent to these yet. */
  held: DueEndpoint[];
  /** Slow ones for which there is no room now. */
  steppingBack: DueEndpoint[];
}

/** The attempts of one endpoint. */
interface EndpointLoad {
  /** How many it may have under way. */
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
export class ConcurrencyLimiter {
  /** Idle endpoints are forgotten and start anew; those with attempts under way are in use and stay. */
  private readonly loads = growingCache<number, EndpointLoad>(50_000);
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

  /** @param isSuccess null when the attempt says nothing about the endpoint */
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

/** Lets the endpoints take turns, so that none waits for the backlog of another. */
@Injectable()
export class FairQueue {
  constructor(private readonly limiter: ConcurrencyLimiter) {}

  /** @param endpoints with something due, the longest waiting one first */
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

  /** Sends each endpoint that had its turn to the end of the queue, or out of it until something falls due. */
  async passOn(manager: EntityManager, round: Round, taken: DueDelivery[], now: Date): Promise<void> {
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
  changes: Partial<WebhookEndpointEntity>,
): Promise<void> {
  if (endpoints.length > 0) {
    await updateRows(manager, WebhookEndpointEntity, changes, { id: In(endpoints.map(({ id }) => id)) });
  }
}

/** @param assignments SQL that stands after SET */
async function dueLater(manager: EntityManager, endpoints: DueEndpoint[], assignments: string): Promise<void> {
  if (endpoints.length > 0) {
    const { condition, parameters } = idIn(endpoints.map(({ id }) => id));
    await execute(manager, `UPDATE webhook_endpoints SET ${assignments} WHERE ${condition}`, parameters);
  }
}

/** After many failures in a row one attempt at a time finds out whether the endpoint is back. */
function isProbed(endpoint: DueEndpoint): boolean {
  return endpoint.failureCount >= PROBING_FAILURES;
}
