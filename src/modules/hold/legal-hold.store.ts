import { Injectable, type Type } from '@nestjs/common';
import { type EntityManager, In, LessThanOrEqual } from 'typeorm';
import type { ListPart } from '../../common/envelope/total-count';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { countRows, findPage, findRow, findRows, rowExists } from '../../database/statements/find';
import { insertEntity } from '../../database/statements/insert';
import { keysetBatches } from '../../database/statements/keyset-batches';
import { findLocked } from '../../database/statements/row-lock';
import { updateRows } from '../../database/statements/update';
import { type CopyKind, LegalHoldCopyEntity, LegalHoldEntity, LegalHoldUserEntity } from './legal-hold.entity';
import { isHeldUser, LegalHolds } from './legal-holds';

/** A legal hold for other modules. */
export type LegalHold = Readonly<LegalHoldEntity>;

/** What a list of holds is filtered by. */
export type HoldFilter = Partial<Pick<LegalHold, 'status' | 'scope' | 'scopeId'>>;

/** A kept copy of a deleted row. */
export interface HeldCopy {
  kind: CopyKind;
  data: object;
  deletedAt: Date;
}

const BATCH = 200;

const NOT_HELD = { condition: `NOT ${isHeldUser('legal_hold_copies.user_id')}`, parameters: [] };

/** The tables of legal holds, for their administration. Call the methods with a manager within `Database.write`. */
@Injectable()
export class LegalHoldStore {
  /** The tables with a user's id. */
  readonly personalTables: Type<object>[] = [LegalHoldUserEntity, LegalHoldCopyEntity];

  constructor(
    private readonly database: Database,
    private readonly holds: LegalHolds,
  ) {}

  /** The newest first. */
  page(filter: HoldFilter, part: { limit: number; offset: number }): Promise<ListPart<LegalHold>> {
    return findPage(this.database.manager, LegalHoldEntity, filter, { order: { id: 'DESC' }, ...part });
  }

  find(id: number): Promise<LegalHold | null> {
    return findRow(this.database.manager, LegalHoldEntity, { id });
  }

  findLocked(manager: EntityManager, id: number): Promise<LegalHold | null> {
    return findLocked(manager, LegalHoldEntity, { id });
  }

  countActive(manager: EntityManager): Promise<number> {
    return countRows(manager, LegalHoldEntity, { status: 'active' });
  }

  add(manager: EntityManager, hold: Omit<LegalHold, 'id'>): Promise<LegalHold> {
    return insertEntity(manager, LegalHoldEntity, hold);
  }

  async change(manager: EntityManager, id: number, changes: Partial<LegalHold>): Promise<void> {
    await updateRows(manager, LegalHoldEntity, changes, { id });
  }

  /** The active holds that end by then. */
  endingBy(until: Date): Promise<Pick<LegalHold, 'id' | 'until'>[]> {
    const due = { status: 'active' as const, until: LessThanOrEqual(until) };
    return findRows(this.database.manager, LegalHoldEntity, due, { members: ['id', 'until'], order: { id: 'ASC' } });
  }

  /** All users whom a hold covers or covered, except the owner of a single conversation. */
  async usersOf(holdId: number, manager: EntityManager = this.database.manager): Promise<number[]> {
    const options = { members: ['userId'], order: { userId: 'ASC' } } as const;
    return (await findRows(manager, LegalHoldUserEntity, { holdId }, options)).map(({ userId }) => userId);
  }

  /** The hold covers its users no longer. */
  async releaseUsers(manager: EntityManager, holdId: number): Promise<void> {
    await updateRows(manager, LegalHoldUserEntity, { isActive: false }, { holdId });
  }

  /** An account is erased: no hold covers it any more. */
  async forgetUser(manager: EntityManager, userId: number): Promise<void> {
    await deleteRows(manager, LegalHoldUserEntity, { userId });
    await deleteRows(manager, LegalHoldCopyEntity, { userId });
  }

  async *copiesOf(userId: number): AsyncGenerator<HeldCopy> {
    for await (const copies of keysetBatches(this.database.manager, LegalHoldCopyEntity, { userId })) {
      yield* copies;
    }
  }

  /** Deletes the copies that no hold needs any more. */
  async deleteCopies(): Promise<void> {
    // A reader first, because there are seldom any.
    while (await rowExists(this.database.manager, LegalHoldCopyEntity, NOT_HELD)) {
      await this.database.write(async (manager) => {
        await this.holds.lockForDeletion(manager);
        const copies = await findRows(manager, LegalHoldCopyEntity, NOT_HELD, { members: ['id'], limit: BATCH });
        await deleteRows(manager, LegalHoldCopyEntity, { id: In(copies.map(({ id }) => id)) });
      });
    }
  }
}
