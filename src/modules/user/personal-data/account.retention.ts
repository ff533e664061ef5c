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
import { allOf, rowCondition } from '../../../database/statements/row-condition';
import { updateRows } from '../../../database/statements/update';
import { isHeldUser, LegalHolds } from '../../hold/hold.api';
import { userAudit } from '../account/user.audit';
import { UserEntity } from '../account/user.entity';
import { AccountClosingService } from '../management/account-closing.service';
import { ErasurePauseConfig } from './erasure-pause.config';
import { PersonalDataRegistry } from './personal-data-registry';

/** Longest delay of an erasure. */
const IDLE_MILLISECONDS = MINUTE_MILLISECONDS;

/** Pause before the next attempt after a failed erasure. */
const RETRY_MILLISECONDS = HOUR_MILLISECONDS;

const IS_HELD = isHeldUser('users.id');

/** Erased now; or only released, because a legal hold keeps the rest. */
const DUE = { condition: `NOT ${IS_HELD} OR released_at IS NULL`, parameters: [] };

/**
 * Erases the content of closed accounts when it is due. While a legal hold covers an account, only what others may need
 * is released.
 */
@Injectable()
export class AccountRetention {
  private readonly logger = new Logger(AccountRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly registry: PersonalDataRegistry,
    private readonly holds: LegalHolds,
    private readonly lifecycle: Lifecycle,
    private readonly tracing: Tracing,
    private readonly closing: AccountClosingService,
    private readonly events: DomainEvents,
    private readonly pause: ErasurePauseConfig,
    background: BackgroundWork,
  ) {
    const loop = background.add({
      step: () => this.eraseDue(),
      onError: (error) => this.logger.warn({ error }, 'Closed accounts could not be looked up.'),
      idleMilliseconds: IDLE_MILLISECONDS,
    });
    // With ACCOUNT_ERASE_DAYS=0, or if an administrator erases an account, the content is erased at once. The end of a
    // hold makes erasures due.
    for (const type of ['user.deleted', 'audit.user.erase', 'hold.released']) {
      events.on(type, () => Promise.resolve(database.onCommit(() => loop.wake())));
    }
  }

  /** Erases the account that has been due for longest. Returns the milliseconds until the next one is due. */
  async eraseDue(): Promise<number | null> {
    if (this.pause.RETENTION_PAUSED) {
      return null;
    }
    const { manager } = this.database;
    const now = this.clock.now();
    const due = await findRow(
      manager,
      UserEntity,
      allOf(rowCondition(manager, UserEntity, { eraseAt: LessThanOrEqual(now) }), DUE),
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

  /**
   * Erases an account now, open or closed, for the command line.
   *
   * @returns false if a legal hold covers it
   * @throws UserNotFoundError if it does not exist or is erased; AdminNotErasableError
   */
  async eraseNow(userId: number): Promise<boolean> {
    const isClosed = await this.registry.writeUnlessHeld(userId, async (manager) => {
      const user = await this.closing.lock(manager, userId);
      await this.closing.eraseNow(manager, userId, user?.username ?? '');
      const entry = userAudit.change('erased', { id: userId, userId, before: null, after: null });
      // No administrator requests it.
      await this.events.publish(manager, { ...entry, data: { ...entry.data, isAlwaysLogged: true } });
      return true;
    });
    if (isClosed === null) {
      return false;
    }
    await this.erase(userId);
    const left = await findRow(
      this.database.manager,
      UserEntity,
      { id: userId },
      { members: ['eraseAt'], withDeleted: true },
    );
    return left?.eraseAt === null;
  }

  /** After this, the account cannot be restored. Returns false if an administrator has restored it in time. */
  private async begin(userId: number): Promise<boolean> {
    const due = { id: userId, deletedAt: Not(IsNull()), eraseAt: LessThanOrEqual(this.clock.now()) };
    const begun = await this.registry.writeUnlessHeld(userId, (manager) =>
      updateRows(manager, UserEntity, { formerEmail: null }, due),
    );
    return begun === 1;
  }

  /** If a legal hold covers the account: frees what others may need, once. The account cannot be restored any more. */
  private async release(userId: number): Promise<void> {
    if (!(await this.holds.heldUsers(this.database.manager, [userId])).has(userId)) {
      return;
    }
    const change: Partial<UserEntity> = {};
    try {
      for (const source of this.registry.sources) {
        this.lifecycle.assertAcceptsWork();
        await source.release?.(userId);
      }
      change.releasedAt = this.clock.now();
    } catch (error) {
      if (this.lifecycle.isDraining) {
        return;
      }
      change.eraseAt = this.postponed(error, userId);
    }
    const due = { id: userId, deletedAt: Not(IsNull()), eraseAt: LessThanOrEqual(this.clock.now()) };
    await this.database.write((manager) => updateRows(manager, UserEntity, change, due));
  }

  /**
   * Marks the account as erased at the very end, so that an erasure interrupted by a shutdown or a crash starts again.
   */
  private async erase(userId: number): Promise<void> {
    if (!(await this.begin(userId))) {
      await this.release(userId);
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
      eraseAt = this.postponed(error, userId);
    }
    // A hold that has begun since then keeps what is left, and its end makes it due again.
    await this.registry.writeUnlessHeld(userId, (manager) =>
      updateRows(manager, UserEntity, { eraseAt }, { id: userId }),
    );
  }

  /** When a failed erasure is tried again. Until then, other accounts do not wait for it. */
  private postponed(error: unknown, userId: number): Date {
    this.logger.error({ error, userId }, 'A closed account could not be erased. It will be tried again.');
    return new Date(this.clock.now().getTime() + RETRY_MILLISECONDS);
  }
}
