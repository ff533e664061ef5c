import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { ReplyRow } from './reply/reply-row';

/**
 * A reply to what a program sent whole: no conversation has it. The row is what a running reply is counted, stopped and
 * recovered by. It goes when the reply ends; with an `Idempotency-Key` it stays for a day, for repetitions.
 *
 * Its ids begin at `FIRST_GENERATION_ID`, so that they never are ids of messages: readers, keys of repeated requests and the
 * ledger of usage know replies of both tables by one number.
 */
@Entity('generations')
@Index('ix_generations_status_user_id', ['status', 'userId'])
@Index('ix_generations_user_id', ['userId'])
@Index('ix_generations_updated_at', ['updatedAt'])
export class GenerationEntity extends ReplyRow {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  /** Tokens of what the program sent, mostly estimated: it is stored nowhere, but counts when the reply is cut. */
  @Column({ name: 'prompt_tokens', type: 'int' })
  promptTokens: number;

  /** Whether a repetition of its request may be answered with it: then it stays when it has ended. */
  @Column({ name: 'is_repeatable', type: 'boolean' })
  isRepeatable: boolean;

  get chatId(): number {
    return 0;
  }

  /** The number under which the ledger of usage has the question. */
  get parentId(): number {
    return questionOf(this.id);
  }
}

/** The first id: half of what the columns of ids can hold. The migration sets it. */
export const FIRST_GENERATION_ID = 2 ** 30;

/** The number of the question of a generation, which no table has. No message has a negative one. */
export function questionOf(generationId: number): number {
  return -generationId;
}
