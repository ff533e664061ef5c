import type { EntityManager } from 'typeorm';
import { updateRows } from '../../../database/statements/update';
import { encodeSteps, storedSteps } from '../reply/reply-steps';
import type { RunningReply } from '../reply/running-reply';
import type { StoredWords } from './joined-pieces';
import type { ReplyPieceEntity } from './reply-piece.entity';
import { LONGEST_PIECE_STORED, type ReplyPieces } from './reply-pieces';

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
