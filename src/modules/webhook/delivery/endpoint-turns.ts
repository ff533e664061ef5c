import { Injectable } from '@nestjs/common';
import { EntityManager, In } from 'typeorm';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';
import { DueDelivery, FIRST_DUE_SQL, Request } from './due-deliveries';
import { PROBING_FAILURES } from './endpoint-health';
import { EndpointPace } from './endpoint-pace';

/** How long a claim holds, in milliseconds: the longest attempt, and as much again for writing down its result. */
export const LEASE_MILLISECONDS = 60_000;

/** Deliveries taken in one transaction: few enough that no request on SQLite waits long for its turn. */
const DELIVERIES_AT_ONCE = 50;

/** How long an endpoint steps back when all room for slow ones is taken, in milliseconds. */
export const STEP_BACK_MILLISECONDS = 1_000;

/** What is done with the endpoints whose turn it is. */
export interface Turns {
  /** Deliveries are taken for these. */
  requests: Request[];
  /** Nothing may be sent to these yet. */
  held: WebhookEndpointEntity[];
  /** Slow ones for which there is no room now. */
  steppingBack: WebhookEndpointEntity[];
}

/** Has the endpoints take turns, so that none waits for the backlog of another. */
@Injectable()
export class EndpointTurns {
  constructor(private readonly pace: EndpointPace) {}

  /** @param endpoints with something due, the longest waiting one first */
  allot(endpoints: WebhookEndpointEntity[], now: Date): Turns {
    const turns: Turns = { requests: [], held: [], steppingBack: [] };
    let free = Math.min(this.pace.free, DELIVERIES_AT_ONCE);
    for (const endpoint of endpoints) {
      const quota = Math.min(this.pace.quotaOf(endpoint.id), isProbed(endpoint) ? 1 : Infinity, free);
      if (endpoint.heldUntil && endpoint.heldUntil > now) {
        turns.held.push(endpoint);
      } else if (quota > 0) {
        turns.requests.push({ endpoint, quota });
        free -= quota;
      } else if (free > 0) {
        turns.steppingBack.push(endpoint);
      }
    }
    return turns;
  }

  /** Sends every endpoint that had its turn to the end of the queue, or out of it until something falls due. */
  async passOn(turns: Turns, taken: DueDelivery[], now: Date, manager: EntityManager): Promise<void> {
    const counts = new Map<number, number>();
    for (const { endpointId } of taken) {
      counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
    }
    const isServed = ({ endpoint, quota }: Request): boolean => (counts.get(endpoint.id) ?? 0) < quota;
    const served = turns.requests.filter(isServed).map(({ endpoint }) => endpoint);
    const waiting = turns.requests.filter((request) => !isServed(request)).map(({ endpoint }) => endpoint);
    const probed = turns.requests
      .map(({ endpoint }) => endpoint)
      .filter(({ id }) => counts.has(id))
      .filter(isProbed);
    const after = (milliseconds: number): Date => new Date(now.getTime() + milliseconds);
    const change = async (
      endpoints: WebhookEndpointEntity[],
      changes: Parameters<EntityManager['update']>[2],
    ): Promise<void> => {
      if (endpoints.length > 0) {
        await manager.update(WebhookEndpointEntity, { id: In(endpoints.map(({ id }) => id)) }, changes);
      }
    };
    await change(served, { nextDueAt: () => FIRST_DUE_SQL, recoveredAt: null });
    await change(waiting, { nextDueAt: now });
    await change(turns.steppingBack, { nextDueAt: after(STEP_BACK_MILLISECONDS) });
    await change(turns.held, { nextDueAt: () => 'held_until' });
    // Until the result of a probe is known, or lost with the process, no other instance probes.
    await change(probed, { heldUntil: after(LEASE_MILLISECONDS) });
  }
}

/** After many failures in a row one attempt at a time finds out whether the endpoint is back. */
function isProbed(endpoint: WebhookEndpointEntity): boolean {
  return endpoint.failureCount >= PROBING_FAILURES;
}
