import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, type EntityTarget, In } from 'typeorm';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { allOf, idIn } from '../../../database/statements/row-condition';
import { runStatement } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import { ReplyPlaces } from '../reply/reply-places';
import type { StoredReply } from '../reply/reply-row';
import { LONG_IN_ROW } from '../reply/running-reply';
import { joinPieces, type StoredWords } from './joined-pieces';
import { ReplyPieceEntity } from './reply-piece.entity';

/** The longest text and the longest reasoning of a piece, in UTF-16 units: any database takes it in one statement. */
export const LONGEST_PIECE_STORED = 250_000;

const WORDS = ['id', 'status', 'content', 'reasoning', 'steps', 'parts'] as const;

/** Pieces of a reply that has ended go in batches: SQLite would hold up everybody else for all of them. */
const REMOVED_AT_ONCE = 64;

const IS_AFTER = 'message_id = ? AND number > ?';
const WITH_PIECES = 'SELECT DISTINCT message_id FROM reply_pieces';

/** A reply as readers have it, whatever else they have of it. */
export type ReadReply = { id: number } & Pick<StoredReply, 'status' | 'content' | 'reasoning'> & Partial<StoredWords>;

/**
 * Long replies while they are written. Their rows would be written as a whole each time that they have grown, which costs the
 * square of their length. So what comes after the first part of a reply is written into pieces, each once. The end of the
 * reply writes all of it into its row, and removes them.
 *
 * Who reads rows of replies that may be running asks `complete` for the rest of their words.
 */
@Injectable()
export class ReplyPieces {
  private readonly logger = new Logger(ReplyPieces.name);

  constructor(
    private readonly database: Database,
    private readonly places: ReplyPlaces,
  ) {}

  /** Within `Database.write`, where the reply is known to run. A piece that is there already is written anew. */
  async write(manager: EntityManager, piece: ReplyPieceEntity): Promise<void> {
    await upsertRows(manager, ReplyPieceEntity, [piece], ['messageId', 'number']);
  }

  /**
   * Within `Database.write`, in which the reply ends: removes its pieces after the commit, a few at a time. Nobody reads them then,
   * and what a crash leaves of them is swept.
   */
  removeOnCommit(messageId: number): void {
    this.database.onCommit(() => {
      this.remove(messageId).catch((error: unknown) => {
        this.logger.warn({ message_id: messageId, error }, 'The pieces of an ended reply could not be removed yet.');
      });
    });
  }

  /** Within `Database.write`: removes the pieces of a reply that is whole in its row, and may go on. */
  async removeNow(manager: EntityManager, messageId: number): Promise<void> {
    await deleteRows(manager, ReplyPieceEntity, { messageId });
  }

  /** Within `Database.write`, for a reply that somebody takes over: all its words are written into its row, which `complete` gave them. */
  async fold(manager: EntityManager, entity: EntityTarget<StoredReply>, row: StoredReply): Promise<void> {
    const { id, content, reasoning, steps, parts } = row;
    await updateRows(manager, entity, { content, reasoning, steps, parts }, { id });
    await this.removeNow(manager, id);
  }

  /**
   * Gives rows of running replies all their words. Others stay as they are, and cost nothing.
   *
   * @returns the same rows
   */
  async complete<Row extends ReadReply>(entity: EntityTarget<StoredReply>, rows: Row[]): Promise<Row[]> {
    for (const row of rows) {
      if (mayHavePieces(row)) {
        await this.completeOne(entity, row);
      }
    }
    return rows;
  }

  /** The pieces of a reply from one on, in their order. */
  from(messageId: number, first: number): Promise<ReplyPieceEntity[]> {
    const { manager } = this.database;
    const where = allOf(idIn([messageId], 'message_id'), { condition: 'number >= ?', parameters: [first] });
    return findRows(manager, ReplyPieceEntity, where, { order: { number: 'ASC' } });
  }

  /** Removes the pieces of replies that do not run: those of a reply that was erased, or that an earlier version has ended. */
  async sweep(): Promise<void> {
    const { rows } = await runStatement(this.database.manager, WITH_PIECES, []);
    for (const messageId of rows.map(([id]) => Number(id))) {
      if ((await this.places.stateOf(messageId))?.status !== 'streaming') {
        await this.remove(messageId);
      }
    }
  }

  private async remove(messageId: number): Promise<void> {
    const { manager } = this.database;
    for (;;) {
      const [last] = await findRows(
        manager,
        ReplyPieceEntity,
        { messageId },
        { members: ['number'], order: { number: 'DESC' }, limit: 1 },
      );
      if (last === undefined) {
        return;
      }
      const parameters = [messageId, last.number - REMOVED_AT_ONCE];
      await this.database.write((writer) => deleteRows(writer, ReplyPieceEntity, IS_AFTER, parameters));
    }
  }

  /** Pieces are read first: whatever has happened until the row is read again, it then has all that comes before them. */
  private async completeOne(entity: EntityTarget<StoredReply>, row: ReadReply): Promise<void> {
    const pieces = await this.from(row.id, 0);
    const [now] = await findRows(this.database.manager, entity, { id: In([row.id]) }, { members: WORDS });
    if (now === undefined) {
      return;
    }
    const words = now.status === 'streaming' ? joinPieces(now, pieces) : now;
    const { content, reasoning, steps, parts } = words;
    // Only what the reader has asked for.
    Object.assign(row, { content, reasoning, ...('steps' in row && { steps }), ...('parts' in row && { parts }) });
  }
}

/** Only rows that are long already have pieces: by their words, or by what functions were called with. */
function mayHavePieces({ status, content, reasoning, parts = null }: ReadReply): boolean {
  return status === 'streaming' && (content.length + (reasoning ?? '').length >= LONG_IN_ROW || parts !== null);
}
