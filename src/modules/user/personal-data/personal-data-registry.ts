import { Injectable, Type } from '@nestjs/common';
import { EntityTarget, In, MoreThan } from 'typeorm';
import { Lifecycle } from '../../../common/lifecycle';
import { Database } from '../../../database/database';

/** A kind of data that is kept of users: how a user gets it, and how it is erased. */
export interface PersonalDataSource {
  /** Its member in the export, such as `chats`. */
  name: string;
  /** The tables it stands for; every table with a user's id must be in some source. */
  entities: Type<object>[];
  /** The user's rows as the user may see them: no secrets, no internals. */
  rows(userId: number): AsyncIterable<object>;
  /**
   * Erases what would identify the user or is the user's content; totals may stay. Called outside of a transaction, some
   * days after the account was closed, and again after a failure. Answers `later` when something has to stay for now: it
   * is then called again in an hour.
   */
  erase(userId: number): Promise<'later' | void>;
}

interface UserRow {
  id: number;
  userId: number;
}

/** Rows that are read or deleted at once. */
const BATCH = 200;

/**
 * Who keeps what of a user. Each module registers its sources when it starts (in a constructor), so that exports and
 * erasures are complete without this module knowing the others.
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

  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
  ) {}

  register(source: PersonalDataSource): void {
    this.registered.push(source);
  }

  get sources(): readonly PersonalDataSource[] {
    return this.registered;
  }

  /** All rows of a table that belong to a user, soft-deleted ones too, in the order of their ids. */
  async *read<Row extends UserRow>(
    entity: EntityTarget<Row>,
    userId: number,
    toDto: (row: Row) => object,
  ): AsyncGenerator<object> {
    for (let rows = await this.batch(entity, userId, 0); rows.length > 0;) {
      for (const row of rows) {
        yield toDto(row);
      }
      rows = await this.batch(entity, userId, rows[rows.length - 1]?.id ?? 0);
    }
  }

  /**
   * Deletes all rows of a table that belong to a user for good, in batches, so that others can write in between.
   *
   * @throws ServiceUnavailableError between two batches once the process is shutting down; the next process begins anew.
   */
  async delete<Row extends UserRow>(entity: EntityTarget<Row>, userId: number): Promise<void> {
    for (let rows = await this.batch(entity, userId, 0); rows.length > 0;) {
      this.lifecycle.assertAcceptsWork();
      const ids = rows.map(({ id }) => id);
      await this.database.write((manager) => manager.delete(entity, { id: In(ids) }));
      rows = await this.batch(entity, userId, ids[ids.length - 1] ?? 0);
    }
  }

  private batch<Row extends UserRow>(entity: EntityTarget<Row>, userId: number, afterId: number): Promise<Row[]> {
    return this.database
      .repository(entity)
      .createQueryBuilder('row')
      .withDeleted()
      .where({ userId, id: MoreThan(afterId) })
      .orderBy('row.id', 'ASC')
      .take(BATCH)
      .getMany();
  }
}
