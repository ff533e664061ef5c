import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, type EntityTarget, In } from 'typeorm';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import { allOf, idIn } from '../../../database/statements/row-condition';
import { runStatement } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import type { ToolCallPart, ToolResultPart } from '../../../integrations/llm/port/message-parts';
import { ReplyTables } from '../reply/reply-origin';
import type { ReplyRow, StoredReply } from '../reply/reply-row';
import { applyToolEvent, resultPart } from '../reply/reply-step';
import { decodeSteps, encodeSteps, partsOfReply, storedSteps, withoutText } from '../reply/reply-steps';
import { LONG_IN_ROW, type RunningReply } from '../reply/running-reply';
import type { StoredPart } from '../reply/stored-parts';
import { ReplyPieceEntity } from './reply-piece.entity';

/** The stored text of a reply. */
type StoredWords = Pick<ReplyRow, 'content' | 'reasoning' | 'steps' | 'parts'>;

const IS_RUNNING = "id = ? AND status = 'streaming'";

/** Snapshot of the part of a running reply that is not in the database yet. The reply may grow while it is written. */
export class ReplyGrowth {
  private readonly text: number;
  private readonly reasoning: number;
  private readonly steps: number;
  private readonly spent: RunningReply['spent'];
  /** The changed columns of the row. Null: the growth is stored as a piece. */
  private readonly row: Partial<StoredWords> | null;

  constructor(readonly reply: RunningReply) {
    const { words, thoughts, flushedLength, flushedReasoning, steps, spent } = reply;
    this.text = words.characterStart(Math.min(words.length, flushedLength + LONGEST_PIECE_STORED));
    this.reasoning = thoughts.characterStart(Math.min(thoughts.length, flushedReasoning + LONGEST_PIECE_STORED));
    this.steps = steps?.length ?? 0;
    this.spent = spent;
    // Copied now: text of calls that grow before the write would be stored here and again in the next piece.
    this.row = reply.isLongInRow ? null : this.toRow();
    reply.unflushedBytes = 0;
  }

  /** Within `Database.write`: writes into the row while the reply is short, then into a piece. */
  async write(manager: EntityManager, pieces: ReplyPieces, updatedAt: Date): Promise<void> {
    const { reply, spent } = this;
    const { entity } = reply.origin.place;
    const changes = { updatedAt, ...(spent !== null && { tokenUsage: spent }), ...this.row };
    const running = await updateRows(manager, entity, changes, IS_RUNNING, [reply.messageId]);
    if (running > 0 && this.row === null) {
      await pieces.write(manager, this.piece());
    }
  }

  /** Call it after the commit. */
  done(): void {
    const { reply } = this;
    reply.flushedLength = this.text;
    reply.flushedReasoning = this.reasoning;
    reply.flushedSteps = this.steps;
    reply.flushedSpent = this.spent;
    if (this.row !== null) {
      reply.inRow = { text: this.text, reasoning: this.reasoning, calls: argumentsIn(this.row) };
    } else {
      reply.pieces++;
    }
  }

  private toRow(): Partial<StoredWords> {
    const { reply } = this;
    const { steps, parts } = reply.origin.keepsSteps ? storedSteps(reply) : {};
    return {
      ...(steps !== undefined && { steps, parts: parts?.map((part) => ({ ...part })) ?? null }),
      ...(this.text > reply.flushedLength && { content: reply.words.slice(0, this.text) }),
      ...(this.reasoning > reply.flushedReasoning && { reasoning: reply.thoughts.slice(0, this.reasoning) }),
    };
  }

  private piece(): ReplyPieceEntity {
    const { words, thoughts, flushedLength, flushedReasoning, flushedSteps, messageId, pieces, origin } = this.reply;
    const steps = origin.keepsSteps ? (this.reply.steps ?? []).slice(flushedSteps, this.steps) : [];
    const calls = steps
      .filter(({ kind }) => kind.startsWith('tool_'))
      .map((step) => (step.kind === 'tool_result' ? withoutText(step) : step));
    return {
      messageId,
      number: pieces,
      textOffset: flushedLength,
      content: words.slice(flushedLength, this.text),
      reasoningOffset: flushedReasoning,
      reasoning: thoughts.slice(flushedReasoning, this.reasoning),
      steps: encodeSteps(steps),
      calls: calls.length === 0 ? null : calls,
    };
  }
}

/** Length of the arguments and results of all calls, in UTF-16 code units. */
function argumentsIn({ parts }: Partial<StoredWords>): number {
  return (parts ?? []).reduce((sum, part) => {
    const text = part.type === 'tool_call' ? part.arguments : part.type === 'tool_result' ? part.content : '';
    return sum + text.length;
  }, 0);
}

/**
 * Maximum length of the text and of the reasoning in one piece, in UTF-16 code units. Every database accepts it in one
 * statement.
 */
const LONGEST_PIECE_STORED = 250_000;

const WORDS = ['id', 'status', 'content', 'reasoning', 'steps', 'parts'] as const;

/**
 * Pieces deleted per transaction. On SQLite, deleting all pieces of a reply at once would block other writers for long.
 */
const REMOVED_AT_ONCE = 64;

const IS_AFTER = 'message_id = ? AND number > ?';
const WITH_PIECES = 'SELECT DISTINCT message_id FROM reply_pieces';

/** A reply with at least the fields that readers use. */
export type ReadReply = { id: number } & Pick<StoredReply, 'status' | 'content' | 'reasoning'> & Partial<StoredWords>;

/**
 * Stores long replies while they are written. Rewriting the whole row at each flush would cost the square of the
 * reply's length. Growth beyond the first part is therefore stored in pieces, each written once. The end of the reply
 * writes everything into the row and removes the pieces.
 *
 * Code that reads rows of replies that may be running must call `complete` to add the text in pieces.
 */
@Injectable()
export class ReplyPieces {
  private readonly logger = new Logger(ReplyPieces.name);

  constructor(
    private readonly database: Database,
    private readonly places: ReplyTables,
  ) {}

  /** Within `Database.write`, for a running reply. Overwrites a piece that exists. */
  async write(manager: EntityManager, piece: ReplyPieceEntity): Promise<void> {
    await upsertRows(manager, ReplyPieceEntity, [piece], ['messageId', 'number']);
  }

  /**
   * Within the transaction that ends the reply: removes its pieces after the commit, in batches. They are no longer
   * read then, and `sweep` removes pieces that a crash leaves.
   */
  removeOnCommit(messageId: number): void {
    this.database.onCommit(() => {
      this.remove(messageId).catch((error: unknown) => {
        this.logger.warn({ message_id: messageId, error }, 'The pieces of an ended reply could not be removed yet.');
      });
    });
  }

  /** Within `Database.write`: removes the pieces of a reply whose row is complete and that may continue. */
  async removeNow(manager: EntityManager, messageId: number): Promise<void> {
    await deleteRows(manager, ReplyPieceEntity, { messageId });
  }

  /** Within `Database.write`, when an instance takes over a reply: writes the completed row and removes the pieces. */
  async fold(manager: EntityManager, entity: EntityTarget<StoredReply>, row: StoredReply): Promise<void> {
    const { id, content, reasoning, steps, parts } = row;
    await updateRows(manager, entity, { content, reasoning, steps, parts }, { id });
    await this.removeNow(manager, id);
  }

  /**
   * Adds the text in pieces to rows of running replies. Other rows stay unchanged and need no query.
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

  /** The pieces of a reply from `first` on, in order. */
  from(messageId: number, first: number): Promise<ReplyPieceEntity[]> {
    const { manager } = this.database;
    const where = allOf(idIn([messageId], 'message_id'), { condition: 'number >= ?', parameters: [first] });
    return findRows(manager, ReplyPieceEntity, where, { order: { number: 'ASC' } });
  }

  /** Removes pieces of replies that do not run: replies that were erased, or ended by an earlier version. */
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

  /** Reads the pieces before the row: the row then contains everything before them, whatever was written in between. */
  private async completeOne(entity: EntityTarget<StoredReply>, row: ReadReply): Promise<void> {
    const pieces = await this.from(row.id, 0);
    const [now] = await findRows(this.database.manager, entity, { id: In([row.id]) }, { members: WORDS });
    if (now === undefined) {
      return;
    }
    const words = now.status === 'streaming' ? joinPieces(now, pieces) : now;
    const { content, reasoning, steps, parts } = words;
    // Only the fields that the reader selected.
    Object.assign(row, { content, reasoning, ...('steps' in row && { steps }), ...('parts' in row && { parts }) });
  }
}

/** Only long rows have pieces: long by their text, or by the arguments of their calls. */
function mayHavePieces({ status, content, reasoning, parts = null }: ReadReply): boolean {
  return status === 'streaming' && (content.length + (reasoning ?? '').length >= LONG_IN_ROW || parts !== null);
}

/** Joins the text of a row and its pieces. */
function joinPieces(row: StoredWords, pieces: readonly ReplyPieceEntity[]): StoredWords {
  const content = row.content + pieces.map((piece) => piece.content).join('');
  const reasoning = (row.reasoning ?? '') + pieces.map((piece) => piece.reasoning).join('');
  const words = { content, reasoning: reasoning === '' ? null : reasoning };
  if (row.steps === null) {
    return { ...words, steps: null, parts: row.parts };
  }
  const steps = [row.steps, ...pieces.map((piece) => piece.steps)].filter((part) => part !== '').join();
  const toolCalls = joinCalls(row.parts ?? [], pieces);
  const toolResults = joinResults(row.parts ?? [], toolCalls, pieces);
  const compaction = row.parts?.find((part) => part.type === 'compaction') ?? null;
  const decoded = decodeSteps(steps, { text: content, reasoning, toolCalls, toolResults, compaction });
  return { ...words, steps, parts: partsOfReply(decoded, { toolCalls, compaction }) };
}

function joinCalls(parts: readonly StoredPart[], pieces: readonly ReplyPieceEntity[]): ToolCallPart[] {
  const calls = parts.filter((part) => part.type === 'tool_call').map((call) => ({ ...call }));
  for (const step of pieces.flatMap((piece) => piece.calls ?? [])) {
    if (step.kind === 'tool_call') {
      calls.push({
        type: 'tool_call',
        id: step.id,
        name: step.name,
        arguments: '',
        ...(step.tool && { tool: step.tool }),
      });
    } else if (step.kind === 'tool_arguments') {
      const call = calls[step.call];
      if (call !== undefined) {
        call.arguments += step.text;
      }
    } else if (step.kind === 'tool_started' || step.kind === 'tool_result') {
      const call = calls[step.call];
      if (call !== undefined) {
        applyToolEvent(call, step);
      }
    }
  }
  return calls;
}

function joinResults(
  parts: readonly StoredPart[],
  calls: readonly ToolCallPart[],
  pieces: readonly ReplyPieceEntity[],
): ToolResultPart[] {
  const results = parts.filter((part) => part.type === 'tool_result');
  for (const step of pieces.flatMap((piece) => piece.calls ?? [])) {
    if (step.kind === 'tool_result') {
      results.push(resultPart(calls[step.call]?.id ?? '', step));
    }
  }
  return results;
}
