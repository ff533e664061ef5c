import { Injectable, Type } from '@nestjs/common';
import { type EntityManager, EntityTarget, FindOptionsWhere } from 'typeorm';
import { Lifecycle } from '../../../common/lifecycle';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { tableOf } from '../../../database/statements/entity-columns';
import { keysetBatches, type KeysetOptions } from '../../../database/statements/keyset-batches';
import { allOf, idIn } from '../../../database/statements/row-condition';
import { isHeldChat, LegalHolds } from '../../hold/hold.api';

/** A type of user data: how it is exported and erased. */
export interface PersonalDataSource {
  /** Its member in the export, such as `chats`. Sources of several modules may share one. */
  name: string;
  /** Its tables. Every table with a user's id must belong to a source. */
  entities: Type<object>[];
  /** The user's rows for the export, without secrets and internal fields. */
  rows(userId: number): AsyncIterable<object>;
  /** The rows for the export of a legal hold, if it keeps more than the user sees. */
  heldRows?(userId: number): AsyncIterable<object>;
  /** Stops everything that still writes the user's data. Called before any source is erased. */
  settle?(userId: number): Promise<void>;
  /**
   * Erases what identifies the user and what the user wrote. Totals may stay. It is called outside a transaction, some
   * days after the account was closed, and again after a failure.
   */
  erase(userId: number): Promise<void>;
  /**
   * Frees what others may need on the day when the erasure is due, although a legal hold keeps the data: unique names,
   * and what others may read. It keeps a copy of what it deletes (`LegalHolds.keepCopies`).
   */
  release?(userId: number): Promise<void>;
}

/** The names of objects by id. Objects without a name any more are left out. */
export type NameFinder = (ids: number[]) => Promise<ReadonlyMap<number, string>>;

interface UserRow {
  id: number;
  userId: number | null;
}

/**
 * Knows all sources of user data. Each module registers its sources at startup (in a constructor), so that exports and
 * erasures are complete although this module does not depend on the others. `PersonalDataExport` writes all data to a
 * file, and `AccountRetention` erases it.
 *
 * @example
 * registry.register({
 *   name: 'notes',
 *   entities: [NoteEntity],
 *   rows: (userId) => registry.read(NoteEntity, userId, toNoteDto),
 *   erase: (userId) => registry.delete(NoteEntity, userId),
 * });
 */
@Injectable()
export class PersonalDataRegistry {
  private readonly registered: PersonalDataSource[] = [];
  private readonly names = new Map<string, NameFinder>();

  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
    private readonly holds: LegalHolds,
  ) {}

  register(source: PersonalDataSource): void {
    this.registered.push(source);
  }

  /** Names the objects of a type in the rows of modules that must not import their module. */
  registerNames(type: string, find: NameFinder): void {
    this.names.set(type, find);
  }

  /** The names of the objects of a type by id. */
  async namesOf(type: string, ids: number[]): Promise<ReadonlyMap<number, string>> {
    return (await this.names.get(type)?.(ids)) ?? new Map();
  }

  get sources(): readonly PersonalDataSource[] {
    return this.registered;
  }

  /**
   * All rows of a table that belong to a user, including soft-deleted ones, in the order of their ids.
   *
   * @param atOnce rows in memory at a time; use fewer if a row may be large
   */
  async *read<Row extends UserRow>(
    entity: EntityTarget<Row>,
    userId: number,
    toDto: (row: Row) => object,
    atOnce?: number,
  ): AsyncGenerator<object> {
    for await (const rows of this.batchesOf(entity, userId, { rows: atOnce })) {
      for (const row of rows) {
        yield toDto(row);
      }
    }
  }

  /**
   * Permanently deletes all rows of a table that belong to a user, except those of conversations under a legal hold. It
   * works in batches, so that others can write in between.
   *
   * @throws ServiceUnavailableError between two batches when the process shuts down; the next process starts again
   */
  async delete<Row extends UserRow>(entity: EntityTarget<Row>, userId: number): Promise<void> {
    const { name, byMember } = tableOf(this.database.manager.dataSource, entity);
    const chat = byMember.get('chatId');
    const notHeld = chat ? [{ condition: `NOT ${isHeldChat(`${name}.${chat.name}`)}`, parameters: [] }] : [];
    for await (const rows of this.batchesOf(entity, userId, { members: ['id'] })) {
      this.lifecycle.assertAcceptsWork();
      const ids = rows.map(({ id }) => id);
      const deleted = await this.writeUnlessHeld(userId, (manager) =>
        deleteRows(manager, entity, allOf(idIn(ids, byMember.get('id')?.name), ...notHeld)),
      );
      if (deleted === null) {
        return;
      }
    }
  }

  /** One transaction that deletes data of the user. Null, without a change, if a legal hold covers the user. */
  writeUnlessHeld<Result>(userId: number, work: (manager: EntityManager) => Promise<Result>): Promise<Result | null> {
    return this.database.write(async (manager) => {
      await this.holds.lockForDeletion(manager);
      const isHeld = (await this.holds.heldUsers(manager, [userId])).has(userId);
      return isHeld ? null : work(manager);
    });
  }

  private batchesOf<Row extends UserRow>(
    entity: EntityTarget<Row>,
    userId: number,
    options: KeysetOptions<Row, keyof Row & string>,
  ): AsyncGenerator<Row[]> {
    const where = { userId } as FindOptionsWhere<Row>;
    return keysetBatches(this.database.manager, entity, where, { withDeleted: true, ...options }) as AsyncGenerator<
      Row[]
    >;
  }
}
