import { Injectable, Logger } from '@nestjs/common';
import { In } from 'typeorm';
import { DomainEvents } from '../../common/events/domain-events';
import { MINUTE_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { findRows, rowExists } from '../../database/statements/find';
import { idIn } from '../../database/statements/row-condition';
import { runStatement } from '../../database/statements/run-statement';
import { type HoldScope, LegalHoldEntity, LegalHoldUserEntity } from './legal-hold.entity';

const NOTIFIED = { status: 'active' as const, notify: true };

/** A hold as the owner of the data sees it. */
export interface HoldNotice {
  id: number;
  scope: HoldScope;
  since: Date;
  until: Date | null;
}

/**
 * What owners learn about holds on their data: only about those with `notify`. Requests run no query for it while there
 * is no such hold.
 */
@Injectable()
export class HoldNotices {
  private readonly logger = new Logger(HoldNotices.name);
  private isAnyone = false;

  constructor(
    private readonly database: Database,
    background: BackgroundWork,
    events: DomainEvents,
  ) {
    const loop = background.add({
      step: () => this.refresh(),
      onError: (error) => this.logger.warn({ error }, 'Legal holds could not be looked up.'),
      // How long another instance may take to know that there is a hold.
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
    events.on('hold.created', () =>
      Promise.resolve(
        database.onCommit(() => {
          this.isAnyone = true;
          loop.wake();
        }),
      ),
    );
  }

  /** Whether the owner is informed that a hold keeps what is being deleted. */
  async appliesTo(userId: number | null, chatId?: number): Promise<boolean> {
    if (userId === null || !this.isAnyone) {
      return false;
    }
    if (chatId !== undefined) {
      return (await this.ofChats(userId, [chatId])).has(chatId);
    }
    return (await this.ofUser(userId)).length > 0;
  }

  /** Since when holds keep these conversations of a user. The others are left out. */
  async ofChats(userId: number, chatIds: readonly number[]): Promise<ReadonlyMap<number, Date>> {
    if (!this.isAnyone || chatIds.length === 0) {
      return new Map();
    }
    const own = (await this.ofUser(userId)).map(({ since }) => since);
    const where = { ...NOTIFIED, scope: 'chat' as const, scopeId: In([...chatIds]) };
    const ofChats = await findRows(this.database.manager, LegalHoldEntity, where, {
      members: ['scopeId', 'createdAt'],
    });
    return new Map(
      chatIds.flatMap((id) => {
        const times = [...own, ...ofChats.filter(({ scopeId }) => scopeId === id).map(({ createdAt }) => createdAt)];
        return times.length === 0 ? [] : [[id, new Date(Math.min(...times.map(Number)))] as const];
      }),
    );
  }

  /** All holds on data of a user, in the order of their ids. */
  async all(userId: number): Promise<HoldNotice[]> {
    const { manager } = this.database;
    const ofChats = await findRows(manager, LegalHoldEntity, { ...NOTIFIED, scope: 'chat' });
    const { condition, parameters } = idIn(ofChats.map(({ scopeId }) => scopeId));
    const { rows } = await runStatement(manager, `SELECT id FROM chats WHERE user_id = ? AND ${condition}`, [
      userId,
      ...parameters,
    ]);
    const own = new Set(rows.map(([id]) => Number(id)));
    const notices = ofChats
      .filter(({ scopeId }) => own.has(scopeId))
      .map(({ id, scope, createdAt, until }) => ({ id, scope, since: createdAt, until }));
    return [...(await this.ofUser(userId)), ...notices].sort((one, other) => one.id - other.id);
  }

  /** The holds that cover everything of the user. */
  private async ofUser(userId: number): Promise<HoldNotice[]> {
    const { manager } = this.database;
    const covering = await findRows(manager, LegalHoldUserEntity, { userId, isActive: true });
    if (covering.length === 0) {
      return [];
    }
    const sinceOf = new Map(covering.map(({ holdId, since }) => [holdId, since]));
    const holds = await findRows(manager, LegalHoldEntity, { ...NOTIFIED, id: In([...sinceOf.keys()]) });
    return holds.map(({ id, scope, until }) => ({ id, scope, since: sinceOf.get(id) as Date, until }));
  }

  private async refresh(): Promise<null> {
    this.isAnyone = await rowExists(this.database.manager, LegalHoldEntity, NOTIFIED);
    return null;
  }
}
