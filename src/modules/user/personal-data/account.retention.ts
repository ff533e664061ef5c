import { Injectable, Logger } from '@nestjs/common';
import { IsNull, LessThanOrEqual, MoreThan, Not } from 'typeorm';
import { DomainEvents } from '../../../common/events/domain-events';
import { Lifecycle } from '../../../common/lifecycle';
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../common/time';
import { Tracing } from '../../../common/tracing/tracing';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRow } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { UserEntity } from '../account/user.entity';
import { PersonalDataRegistry } from './personal-data-registry';

/** Longest delay of an erasure. */
const IDLE_MILLISECONDS = MINUTE_MILLISECONDS;

/** Pause before the next attempt after a failed erasure. */
const RETRY_MILLISECONDS = HOUR_MILLISECONDS;

/** Erases the content of closed accounts when it is due. */
@Injectable()
export class AccountRetention {
  private readonly logger = new Logger(AccountRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly registry: PersonalDataRegistry,
    private readonly lifecycle: Lifecycle,
    private readonly tracing: Tracing,
    background: BackgroundWork,
    events: DomainEvents,
  ) {
    const loop = background.add({
      step: () => this.eraseDue(),
      onError: (error) => this.logger.warn({ error }, 'Closed accounts could not be looked up.'),
      idleMilliseconds: IDLE_MILLISECONDS,
    });
    // With ACCOUNT_ERASE_DAYS=0, or if an administrator erases an account, the content is erased at once.
    for (const type of ['user.deleted', 'audit.user.erase']) {
      events.on(type, () => Promise.resolve(database.onCommit(() => loop.wake())));
    }
  }

  /** Erases the account that has been due for longest. Returns the milliseconds until the next one is due. */
  async eraseDue(): Promise<number | null> {
    const { manager } = this.database;
    const now = this.clock.now();
    const due = await findRow(
      manager,
      UserEntity,
      { eraseAt: LessThanOrEqual(now) },
      { members: ['id'], order: { eraseAt: 'ASC', id: 'ASC' }, withDeleted: true },
    );
    if (due) {
      await this.tracing.traceJob(
        'erasure',
        () => this.erase(due.id),
        () => ({ accounts: 1 }),
      );
      return 0;
    }
    const next = await findRow(
      manager,
      UserEntity,
      { eraseAt: MoreThan(now) },
      { members: ['eraseAt'], order: { eraseAt: 'ASC' }, withDeleted: true },
    );
    return next?.eraseAt ? Math.max(1, next.eraseAt.getTime() - now.getTime()) : null;
  }

  /** After this, the account cannot be restored. Returns false if an administrator has restored it in time. */
  private async begin(userId: number): Promise<boolean> {
    const due = { id: userId, deletedAt: Not(IsNull()), eraseAt: LessThanOrEqual(this.clock.now()) };
    const begun = await this.database.write((manager) => updateRows(manager, UserEntity, { formerEmail: null }, due));
    return begun === 1;
  }

  /**
   * Marks the account as erased at the very end, so that an erasure interrupted by a shutdown or a crash starts again.
   */
  private async erase(userId: number): Promise<void> {
    if (!(await this.begin(userId))) {
      return;
    }
    let eraseAt: Date | null = null;
    try {
      for (const source of this.registry.sources) {
        await source.settle?.(userId);
      }
      for (const source of this.registry.sources) {
        this.lifecycle.assertAcceptsWork();
        await source.erase(userId);
      }
      await this.database.clearLog();
      this.logger.log({ userId }, 'A closed account is erased.');
    } catch (error) {
      if (this.lifecycle.isDraining) {
        return;
      }
      // Postponed, so that other accounts do not wait for it.
      eraseAt = new Date(this.clock.now().getTime() + RETRY_MILLISECONDS);
      this.logger.error({ error, userId }, 'A closed account could not be erased. It will be tried again.');
    }
    await this.database.write((manager) => updateRows(manager, UserEntity, { eraseAt }, { id: userId }));
  }
}
