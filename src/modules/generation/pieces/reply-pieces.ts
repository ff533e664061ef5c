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
import { resultPart, takeNews } from '../reply/reply-step';
import { decodeSteps, encodeSteps, partsOfReply, storedSteps } from '../reply/reply-steps';
import { LONG_IN_ROW, type RunningReply } from '../reply/running-reply';
import type { StoredPart } from '../reply/stored-parts';
import { ReplyPieceEntity } from './reply-piece.entity';

/** What is stored of the words of a reply. */
type StoredWords = Pick<ReplyRow, 'content' | 'reasoning' | 'steps' | 'parts'>;

const IS_RUNNING = "id = ? AND status = 'streaming'";

/** What a running reply has more than the database, at one moment. It may grow while that is written. */
export class ReplyGrowth {
  private readonly text: number;
  private readonly reasoning: number;
  private readonly steps: number;
  private readonly spent: RunningReply['spent'];
  /** What the row gets; null when a piece gets it. */
  private readonly row: Partial<StoredWords> | null;

  constructor(readonly reply: RunningReply) {
    const { words, thoughts, flushedLength, flushedReasoning, steps, spent } = reply;
    this.text = words.characterStart(Math.min(words.length, flushedLength + LONGEST_PIECE_STORED));
    this.reasoning = thoughts.characterStart(Math.min(thoughts.length, flushedReasoning + LONGEST_PIECE_STORED));
    this.steps = steps?.length ?? 0;
    this.spent = spent;
    // At once: calls that grow until it is written would have words there that the next piece has too.
    this.row = reply.isLongInRow ? null : this.wholeRow();
    reply.unflushedBytes = 0;
  }

  /** Within `Database.write`: into its row while the reply is short, then into a piece. */
  async write(manager: EntityManager, pieces: ReplyPieces, updatedAt: Date): Promise<void> {
    const { reply, spent } = this;
    const { entity } = reply.origin.place;
    const changes = { updatedAt, ...(spent !== null && { tokenUsage: spent }), ...this.row };
    const running = await updateRows(manager, entity, changes, IS_RUNNING, [reply.messageId]);
    if (running > 0 && this.row === null) {
      await pieces.write(manager, this.piece());
    }
  }

  /** It is committed. */
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

  private wholeRow(): Partial<StoredWords> {
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
    const calls = steps.filter(({ kind }) => kind.startsWith('tool_'));
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

/** UTF-16 units of the arguments of all calls, and of their results. */
function argumentsIn({ parts }: Partial<StoredWords>): number {
  return (parts ?? []).reduce((sum, part) => {
    const told = part.type === 'tool_call' ? part.arguments : part.type === 'tool_result' ? part.content : '';
    return sum + told.length;
  }, 0);
}

/** The longest text and the longest reasoning of a piece, in UTF-16 units: any database takes it in one statement. */
const LONGEST_PIECE_STORED = 250_000;

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
    private readonly places: ReplyTables,
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

/** The words of a row and of the pieces that follow it, in their order. */
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
        takeNews(call, step);
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
