import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { BackgroundLoop } from '../../../common/background/background-loop';
import { DAY_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { deleteRows } from '../../../database/statements/delete';
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
    const { ownerId } = this.registry;
    await this.writability.watch(() =>
      this.database.writeSign(async (manager) => {
        await this.clock.compare(manager);
        const findLastHeartbeat = this.clock.now();
        if ((await updateRows(manager, ReplyOwnerEntity, { seenAt: findLastHeartbeat }, { id: ownerId })) === 0) {
          await insertRow(manager, ReplyOwnerEntity, { id: ownerId, seenAt: findLastHeartbeat });
        }
      }),
    );
    this.wasInTime = this.sinceLastSign < OWNER_LEASE_MILLISECONDS;
    this.lastSeenAt = performance.now();
    return null;
  }

  /** Removes rows of instances that died long ago. On SQLite, with one process at a time: all other rows. */
  private async forgetOld(): Promise<void> {
    const age = this.database.isShared ? FORGET_MILLISECONDS : 0;
    const findLastHeartbeat = new Date(this.clock.now().getTime() - age);
    await this.database.write((manager) => deleteRows(manager, ReplyOwnerEntity, 'seen_at < ?', [findLastHeartbeat]));
  }
}
