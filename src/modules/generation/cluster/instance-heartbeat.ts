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
import { ReplyRegistry } from '../running/reply-registry';
import { ReplyOwnerEntity } from './reply-owner.entity';

/** An instance that gave no sign of life for this time is dead. */
export const OWNER_LEASE_MILLISECONDS = 10_000;

/** Pause between two signs of life. */
const PAUSE_MILLISECONDS = 2_000;

/** The same on SQLite, where the sign only tells whether the file takes writes. */
const LONE_PAUSE_MILLISECONDS = 3_500;

/** A sign is fresh for so long: an older one may be from before an outage in which others could give none. */
const FRESH_MILLISECONDS = 2 * PAUSE_MILLISECONDS;

/** Rows of dead instances are removed after this time; by then all their replies have ended. */
const FORGET_MILLISECONDS = DAY_MILLISECONDS;

/** Id. */
const OWNER = new RowQuery(ReplyOwnerEntity, ({ id }) => `WHERE ${id} = ?`, ['seenAt']);

/**
 * Signs of life: instances that share a database know by them which of them died, and each instance knows by its own whether
 * the database takes writes. Their times are those of the database, whatever the clocks of the instances say. They have a loop
 * and a connection of their own, because an instance whose sign waits behind other work is taken for dead.
 */
@Injectable()
export class InstanceHeartbeat implements OnApplicationShutdown {
  private readonly logger = new Logger(InstanceHeartbeat.name);
  private readonly loop: BackgroundLoop;
  /** When the last sign was given, by the monotonic clock. */
  private lastSeenAt = -Infinity;
  /** Whether the one before it was not long ago. */
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

  /** Later than the other loops: without signs of life, other instances would end the replies that still finish here. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /**
   * Whether the silence of others means that they died. It means nothing while this instance has none to show, or had none for
   * long until just now: then the database was away, for the others too.
   */
  get mayJudgeOthers(): boolean {
    return !this.database.isShared || (this.wasInTime && this.sinceLastSign < FRESH_MILLISECONDS);
  }

  /** When an instance gave its last sign of life; null: nothing is known of it. */
  async seenAt(ownerId: string | null): Promise<Date | null> {
    const owner = ownerId === null ? null : await OWNER.first(this.database.manager, [ownerId]);
    return owner?.seenAt ?? null;
  }

  /** Instances seen since this time live. */
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
        const seenAt = this.clock.now();
        if ((await updateRows(manager, ReplyOwnerEntity, { seenAt }, { id: ownerId })) === 0) {
          await insertRow(manager, ReplyOwnerEntity, { id: ownerId, seenAt });
        }
      }),
    );
    this.wasInTime = this.sinceLastSign < OWNER_LEASE_MILLISECONDS;
    this.lastSeenAt = performance.now();
    return null;
  }

  /** Removes rows of instances that ended long ago; where the data has one process at a time, of all others. */
  private async forgetOld(): Promise<void> {
    const age = this.database.isShared ? FORGET_MILLISECONDS : 0;
    const seenAt = new Date(this.clock.now().getTime() - age);
    await this.database.write((manager) => deleteRows(manager, ReplyOwnerEntity, 'seen_at < ?', [seenAt]));
  }
}
