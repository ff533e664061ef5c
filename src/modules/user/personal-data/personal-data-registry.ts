import { Injectable, Type } from '@nestjs/common';
import { EntityTarget, FindOptionsWhere, In } from 'typeorm';
import { Lifecycle } from '../../../common/lifecycle';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { keysetBatches, type KeysetOptions } from '../../../database/statements/keyset-batches';

/** A kind of data that the service keeps of users: how a user gets it, and how it is erased. */
export interface PersonalDataSource {
  /** Its member in the export, such as `chats`. */
  name: string;
  /** Its tables. Every table with a user's id must be in some source. */
  entities: Type<object>[];
  /** The user's rows as the user may see them: no secrets, no internals. */
  rows(userId: number): AsyncIterable<object>;
  /** Ends what still writes data of the user. It is called before any source is erased. */
  settle?(userId: number): Promise<void>;
  /**
   * Erases what identifies the user and what the user wrote; totals may stay. It is called outside of a transaction, some
   * days after the account was closed, and again after a failure.
   */
  erase(userId: number): Promise<void>;
}

interface UserRow {
  id: number;
  userId: number | null;
}

/**
 * Knows who keeps what of a user. Each module registers its sources when it starts (in a constructor). So exports and
 * erasures are complete although this module does not know the others. `PersonalDataExport` writes all of it as a file,
 * `AccountRetention` erases it.
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

  /**
   * All rows of a table that belong to a user, soft-deleted ones too, in the order of their ids.
   *
   * @param atOnce rows that memory holds; fewer where one may be large
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
   * Deletes all rows of a table that belong to a user, for good. It works in batches, so that others can write in between.
   *
   * @throws ServiceUnavailableError between two batches when the process shuts down. The next process begins again.
   */
  async delete<Row extends UserRow>(entity: EntityTarget<Row>, userId: number): Promise<void> {
    for await (const rows of this.batchesOf(entity, userId, { members: ['id'] })) {
      this.lifecycle.assertAcceptsWork();
      const ids = rows.map(({ id }) => id);
      await this.database.write((manager) => deleteRows(manager, entity, { id: In(ids) } as FindOptionsWhere<Row>));
    }
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
