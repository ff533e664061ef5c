import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../common/time';
import type { StatementValue } from '../../../database/connection/statement-result';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { insertRow } from '../../../database/statements/insert';
import { RowQuery } from '../../../database/statements/query';
import { updateRows } from '../../../database/statements/update';
import { Writability } from '../../../database/writability';
import { ReplyRegistry } from '../reply/reply-registry';
import { ReplyOwnerEntity } from './reply-owner.entity';

/** An instance without a heartbeat for this time is dead. */
export const OWNER_LEASE_MILLISECONDS = 10_000;

/** Pause between two heartbeats. */
const PAUSE_MILLISECONDS = 2_000;

/** The same on SQLite, where a heartbeat only checks whether the file is writable. */
const LONE_PAUSE_MILLISECONDS = 3_500;

/**
 * Maximum age of this instance's own heartbeat for judging others. An older one may be from before a database outage,
 * in which other instances could not write theirs.
 */
const FRESH_MILLISECONDS = 2 * PAUSE_MILLISECONDS;

/** Rows of dead instances are removed after this time. All their replies have ended by then. */
const FORGET_MILLISECONDS = DAY_MILLISECONDS;

/** How often they are looked for. */
const FORGET_PAUSE_MILLISECONDS = HOUR_MILLISECONDS;

/** What an instance reports of itself with each heartbeat. It must not wait for the database or the network. */
export type InstanceReporter = (heartbeat: { milliseconds: number }) => Promise<object>;

/** An instance that has written a heartbeat in the last day. */
export interface KnownInstance {
  id: string;
  /** By the shared clock. */
  seenAt: Date;
  report: object | null;
}

/** Parameter: id. */
const OWNER = new RowQuery(ReplyOwnerEntity, ({ id }) => `WHERE ${id} = ?`, ['seenAt']);

/**
 * Writes heartbeats. Instances that share a database detect dead instances by them, and each instance detects by its
 * own whether the database is writable. Times are those of the database, independent of the instances' clocks.
 * Heartbeats have a loop and a connection of their own, because an instance whose heartbeat waits behind other work
 * would count as dead.
 */
@Injectable()
export class InstanceHeartbeat implements OnApplicationShutdown {
  private readonly logger = new Logger(InstanceHeartbeat.name);
  private readonly loop: BackgroundLoop;
  /** When the last heartbeat was written, by the monotonic clock. */
  private lastSeenAt = -Infinity;
  /** Whether the last heartbeat followed the previous one in time. */
  private wasInTime = false;
  /** How long the last heartbeat took. */
  private took = 0;
  private forgottenAt = -Infinity;
  private reporter: InstanceReporter = () => Promise.resolve({});

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly writability: Writability,
    private readonly registry: ReplyRegistry,
  ) {
    this.loop = new BackgroundLoop({
      step: () => this.signOfLife(),
      onError: (error) => this.logger.warn({ error }, 'A sign of life could not be given.'),
      idleMilliseconds: database.isShared ? PAUSE_MILLISECONDS : LONE_PAUSE_MILLISECONDS,
    });
    database.onReady(() => this.begin());
  }

  /** Stops after the other loops: without heartbeats, other instances would end the replies that still finish here. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /**
   * Whether other instances without a heartbeat are dead. Not if this instance has no fresh heartbeat, or had none for
   * long until just now: then the database was unavailable to all instances.
   */
  get mayDeclareDead(): boolean {
    return !this.database.isShared || (this.wasInTime && this.sinceLastSign < FRESH_MILLISECONDS);
  }

  /** Sets what this instance reports. Call it in a constructor. */
  reportBy(reporter: InstanceReporter): void {
    this.reporter = reporter;
  }

  get ownId(): string {
    return this.registry.ownerId;
  }

  /** Writes a heartbeat now, because what it reports has changed. */
  wake(): void {
    this.loop.wake();
  }

  /** All instances with a heartbeat in the last day, in the order of their ids. */
  instances(): Promise<KnownInstance[]> {
    return findRows(this.database.manager, ReplyOwnerEntity, {}, { order: { id: 'ASC' } });
  }

  /** The last heartbeat of an instance. Null: unknown. */
  async findLastHeartbeat(ownerId: string | null): Promise<Date | null> {
    const owner = ownerId === null ? null : await OWNER.first(this.database.manager, [ownerId]);
    return owner?.seenAt ?? null;
  }

  /** Instances with a heartbeat since this time are alive. */
  get lifeLimit(): Date {
    return new Date(this.clock.now().getTime() - OWNER_LEASE_MILLISECONDS);
  }

  private get sinceLastSign(): number {
    return performance.now() - this.lastSeenAt;
  }

  private async begin(): Promise<void> {
    if (this.database.isShared) {
      await this.signOfLife();
    }
    await this.forgetOld();
    this.loop.start();
  }

  private async signOfLife(): Promise<null> {
    const { ownerId: id } = this.registry;
    const report = await this.reporter({ milliseconds: this.took }).catch(() => null);
    const beganAt = performance.now();
    await this.writability.watch(() =>
      this.database.writeSign(async (manager) => {
        await this.clock.compare(manager);
        const sign = { seenAt: this.clock.now(), report };
        if ((await updateRows(manager, ReplyOwnerEntity, sign, { id })) === 0) {
          await insertRow(manager, ReplyOwnerEntity, { id, ...sign });
        }
      }),
    );
    this.wasInTime = this.sinceLastSign < OWNER_LEASE_MILLISECONDS;
    this.lastSeenAt = performance.now();
    this.took = this.lastSeenAt - beganAt;
    await this.forgetOld();
    return null;
  }

  /** Removes rows of instances that died long ago. On SQLite, with one process at a time: all other rows. */
  private async forgetOld(): Promise<void> {
    if (performance.now() - this.forgottenAt < FORGET_PAUSE_MILLISECONDS) {
      return;
    }
    const { ownerId } = this.registry;
    const before = new Date(this.clock.now().getTime() - FORGET_MILLISECONDS);
    const [condition, parameters]: [string, StatementValue[]] = this.database.isShared
      ? ['seen_at < ?', [before]]
      : ['id <> ?', [ownerId]];
    await this.database.writeSign((manager) => deleteRows(manager, ReplyOwnerEntity, condition, parameters));
    this.forgottenAt = performance.now();
  }
}
