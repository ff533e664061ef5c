import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { runStatement } from '../../../database/statements/run-statement';
import { BudgetSettlement, type HoldName } from '../../budget/budget.api';
import { SideCosts } from '../../usage/usage.api';
import { isPassingFault } from '../reply/reply-failure';
import { ReplyPlaces } from '../reply/reply-places';
import { ReplyRegistry } from '../running/reply-registry';
import { InstanceHeartbeat } from './instance-heartbeat';

/** No request to a model takes so long: whoever made it has failed to settle it. */
const LONGEST_REQUEST_MILLISECONDS = HOUR_MILLISECONDS;

/** Holds that one step settles. */
const MOST_AT_ONCE = 100;

/** Deadline of owners, this instance, deadline of requests. */
const SIDE_REQUESTS = `
  SELECT side.id FROM side_requests side
  LEFT JOIN chat_reply_owners owner ON owner.id = side.owner_id AND owner.seen_at > ?
  WHERE owner.id IS NULL AND side.owner_id <> ? OR side.asked_at <= ?
  LIMIT ${MOST_AT_ONCE}`;

/**
 * Writes down titles and trials that dead instances had asked for, and settles what they held for these and for replies that
 * have ended. Nobody knows how those went, so their prompts are charged. Replies that run are settled when `CrashRecovery`
 * ends them.
 */
@Injectable()
export class LeftHolds {
  private readonly logger = new Logger(LeftHolds.name);
  private statement: string | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly heartbeat: InstanceHeartbeat,
    private readonly registry: ReplyRegistry,
    private readonly places: ReplyPlaces,
    private readonly settlement: BudgetSettlement,
    private readonly costs: SideCosts,
  ) {}

  async settle(): Promise<void> {
    const deadline = this.heartbeat.lifeLimit;
    const oldest = new Date(this.clock.now().getTime() - LONGEST_REQUEST_MILLISECONDS);
    await this.endSideRequests(deadline, oldest);
    const { rows } = await runStatement(this.database.manager, this.text, [deadline, this.registry.ownerId, oldest]);
    for (const [messageId, name] of rows as [number, HoldName][]) {
      await this.write((manager) =>
        this.settlement.settle(manager, { messageId, name }, { cost: null, isUncertain: true }),
      );
    }
  }

  /** What is held for them is settled by what the ledger says. */
  private async endSideRequests(deadline: Date, oldest: Date): Promise<void> {
    const { manager } = this.database;
    const { rows } = await runStatement(manager, SIDE_REQUESTS, [deadline, this.registry.ownerId, oldest]);
    for (const [id] of rows as [number][]) {
      await this.write(async (writer) => {
        const left = await this.costs.recordLeft(writer, id);
        if (left !== null) {
          const { messageId, holdName, userId, apiKeyId, agentId, askedAt: at } = left.request;
          const key = { messageId: messageId ?? 0, name: holdName as HoldName };
          const charged = { payer: { userId, apiKeyId, agentId }, at };
          await this.settlement.charge(writer, key, { cost: left.cost, isUncertain: false }, charged);
        }
      });
    }
  }

  /** One that can never be settled must not keep the others from it. @throws faults that pass by themselves */
  private async write(work: (manager: EntityManager) => Promise<void>): Promise<void> {
    try {
      await this.database.write(work);
    } catch (error) {
      if (isPassingFault(error)) {
        throw error;
      }
      this.logger.error({ error }, 'What a dead instance had left could not be settled.');
    }
  }

  /** Deadline of owners, this instance, deadline of requests. */
  private get text(): string {
    const isRunning = this.places.all.map(
      ({ table }) =>
        `EXISTS (SELECT 1 FROM ${table} reply WHERE reply.id = held.message_id AND reply.status = 'streaming')`,
    );
    return (this.statement ??= `
      SELECT DISTINCT held.message_id, held.name FROM budget_holds held
      LEFT JOIN chat_reply_owners owner ON owner.id = held.owner_id AND owner.seen_at > ?
      WHERE (owner.id IS NULL AND held.owner_id <> ? OR held.created_at <= ?)
        AND NOT (held.message_id > 0 AND (${isRunning.join(' OR ')}))
      LIMIT ${MOST_AT_ONCE}`);
  }
}
