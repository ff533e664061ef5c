import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import { WebhookEndpointEntity } from '../endpoint/webhook-endpoint.entity';

/** How long an instance may go on believing that there is no endpoint, in milliseconds. */
const BELIEF_MILLISECONDS = 250;

/**
 * Whether there is any endpoint at all, so that events cost nothing where nobody uses webhooks. Exact all the same: an
 * endpoint is told to its owner only when no instance can still believe that there is none.
 */
@Injectable()
export class EndpointPresence {
  private isPresent = false;
  /** Milliseconds of the monotonic clock. */
  private believedUntil = -Infinity;

  constructor(private readonly database: Database) {}

  /** Answers at once most of the time; one look into the database every quarter of a second otherwise. */
  async isAny(manager: EntityManager): Promise<boolean> {
    if (performance.now() < this.believedUntil) {
      return this.isPresent;
    }
    // What was true when the question was asked is believed from then on, however late the answer comes.
    const askedAt = performance.now();
    this.isPresent = await manager.exists(WebhookEndpointEntity, { withDeleted: true });
    this.believedUntil = askedAt + BELIEF_MILLISECONDS;
    return this.isPresent;
  }

  /** To be awaited between the commit of a new endpoint and the answer to its owner. */
  async announce(): Promise<void> {
    this.believedUntil = -Infinity;
    if (this.database.dialect !== 'sqlite') {
      await delay(BELIEF_MILLISECONDS);
    }
  }
}
