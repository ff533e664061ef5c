import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { Clock } from '../../../common/clock';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { runStatement } from '../../../database/statements/run-statement';
import { BudgetSettlement, type HoldName } from '../../budget/budget.api';
import { SideCosts } from '../../usage/usage.api';
import { ReplyFinisher } from '../ending/reply-finisher';
import { ReplyPieces } from '../pieces/reply-pieces';
import { isPassingFault } from '../reply/reply-failure';
import { type AbandonedReply, type ReplyTable, ReplyTables } from '../reply/reply-origin';
import { ReplyRegistry } from '../reply/reply-registry';
import { restore } from '../reply/reply-steps';
import { RunningReply } from '../reply/running-reply';
import { InstanceHeartbeat, OWNER_LEASE_MILLISECONDS } from './instance-heartbeat';
import { ReplyOwnerEntity } from './reply-owner.entity';

/** Maximum duration of a model request. An older hold was not settled by its instance. */
const LONGEST_REQUEST_MILLISECONDS = HOUR_MILLISECONDS;

/** Maximum number of holds settled per step. */
const MOST_HOLDS_AT_ONCE = 100;

/** Parameters: deadline of owners, id of this instance, deadline of requests. */
const SIDE_REQUESTS = `
  SELECT side.id FROM side_requests side
  LEFT JOIN chat_reply_owners owner ON owner.id = side.owner_id AND owner.seen_at > ?
  WHERE owner.id IS NULL AND side.owner_id <> ? OR side.asked_at <= ?
  LIMIT ${MOST_HOLDS_AT_ONCE}`;

/**
 * Records the requests of dead instances for titles and trials, and settles their holds and those of replies that have
 * ended. The outcome of these requests is unknown, so their prompts are charged. `CrashRecovery` settles running
 * replies when it ends them.
 */
@Injectable()
export class AbandonedHolds {
  private readonly logger = new Logger(AbandonedHolds.name);
  private statement: string | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly heartbeat: InstanceHeartbeat,
    private readonly registry: ReplyRegistry,
    private readonly places: ReplyTables,
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

  /** The holds of these requests are settled with the cost in the ledger. */
  private async endSideRequests(deadline: Date, oldest: Date): Promise<void> {
    const { manager } = this.database;
    const { rows } = await runStatement(manager, SIDE_REQUESTS, [deadline, this.registry.ownerId, oldest]);
    for (const [id] of rows as [number][]) {
      await this.write(async (writer) => {
        const abandoned = await this.costs.recordAbandoned(writer, id);
        if (abandoned !== null) {
          const { messageId, holdName, userId, apiKeyId, agentId, askedAt: at } = abandoned.request;
          const key = { messageId: messageId ?? 0, name: holdName as HoldName };
          const charged = { payer: { userId, apiKeyId, agentId }, at };
          await this.settlement.charge(writer, key, { cost: abandoned.cost, isUncertain: false }, charged);
        }
      });
    }
  }

  /** A hold that can never be settled must not block the others. @throws temporary faults */
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

  /** Parameters: deadline of owners, id of this instance, deadline of requests. */
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
      LIMIT ${MOST_HOLDS_AT_ONCE}`);
  }
}

const STEP_MILLISECONDS = 2_000;

/** Maximum number of replies per table ended in one step. */
const MOST_AT_ONCE = 100;

/**
 * Ends the replies of dead instances as `interrupted`, with the text that was flushed. Also ends replies that were
 * stored but never started. Replies that have called tools continue.
 */
@Injectable()
export class CrashRecovery implements OnApplicationShutdown {
  private readonly logger = new Logger(CrashRecovery.name);
  /** The last reply that the previous step examined in each table, if there may be more after it. */
  private readonly reached = new Map<ReplyTable, number>();
  private readonly loop = new BackgroundLoop({
    step: () => this.step(),
    onError: (error) => this.logger.warn({ error }, 'Looking for abandoned replies failed.'),
    idleMilliseconds: STEP_MILLISECONDS,
  });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly registry: ReplyRegistry,
    private readonly places: ReplyTables,
    private readonly heartbeat: InstanceHeartbeat,
    private readonly finisher: ReplyFinisher,
    private readonly pieces: ReplyPieces,
    private readonly abandonedHolds: AbandonedHolds,
  ) {
    database.onReady(() => this.begin());
  }

  /** Stops after the other loops, like the heartbeat. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  private async begin(): Promise<void> {
    if (!this.database.isShared) {
      // A SQLite file has one process, so unfinished replies at its start have no owner.
      await this.recover();
    }
    this.loop.start();
  }

  private async step(): Promise<null> {
    await this.recover();
    return null;
  }

  private async recover(): Promise<void> {
    for (const place of this.places.all) {
      // Checked before each query, because queries take time: instances without a heartbeat right after an outage are
      // alive.
      const found = this.heartbeat.mayDeclareDead
        ? await place.abandoned((query, alias) => this.onlyAbandoned(query, alias, this.reached.get(place) ?? 0))
        : [];
      // Replies that cannot be ended must not block those after them.
      this.reached.set(place, found.length < MOST_AT_ONCE ? 0 : (found.at(-1)?.messageId ?? 0));
      for (const abandoned of found) {
        await this.end(abandoned);
      }
    }
    if (this.heartbeat.mayDeclareDead) {
      await this.abandonedHolds.settle();
    }
  }

  private async end({ messageId, ownerId, rebuild }: AbandonedReply): Promise<void> {
    try {
      const { driver } = this.places;
      const cut = await driver.resume(messageId, ownerId);
      if (cut === null) {
        return;
      }
      const { row, task, origin } = await rebuild();
      await this.pieces.complete(origin.place.entity, [row]);
      const reply = new RunningReply(row.chatId, row.parentId ?? 0, row.id, task, origin, driver);
      restore(reply, row);
      reply.earlierRequests = row.trace ?? [];
      cut.restore(reply, row);
      reply.mayHavePieces = true;
      const end = await this.finisher.finish(reply, cut.outcome);
      this.logger.warn({ message_id: messageId }, 'An abandoned reply was ended.');
      origin.afterEnd(reply, end);
    } catch (error) {
      this.logger.error({ message_id: messageId, error }, 'An abandoned reply could not be ended.');
    }
  }

  /**
   * Replies of dead owners, and replies of this instance that were never started because the answer to their COMMIT was
   * lost. The newest replies of this instance are excluded: they may be stored and about to start.
   */
  private onlyAbandoned<Row extends object>(
    query: SelectQueryBuilder<Row>,
    alias: string,
    after: number,
  ): SelectQueryBuilder<Row> {
    const { ownerId } = this.registry;
    const running = [0, ...[...this.registry.all()].map(({ messageId }) => messageId)];
    // By the clock of this instance, which wrote them.
    const deadline = new Date(this.clock.now().getTime() - OWNER_LEASE_MILLISECONDS);
    return query
      .leftJoin(ReplyOwnerEntity, 'owner', `owner.id = ${alias}.owner_id AND owner.seen_at > :lifeLimit`, {
        lifeLimit: this.heartbeat.lifeLimit,
      })
      .andWhere(
        `(${alias}.owner_id <> :ownerId AND owner.id IS NULL OR ${alias}.owner_id = :ownerId ` +
          `AND ${alias}.created_at <= :deadline AND ${alias}.id NOT IN (${running.join()}))`,
        { ownerId, deadline },
      )
      .andWhere(`${alias}.id > :after`, { after })
      .orderBy(`${alias}.id`)
      .limit(MOST_AT_ONCE);
  }
}
