import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { ReplyRow } from './reply/reply-row';

/**
 * A reply to a request that brings its whole context and has no conversation. The row counts, stops and recovers the
 * reply while it runs. It is deleted when the reply ends, or with an `Idempotency-Key` a day later.
 *
 * Ids start at `FIRST_GENERATION_ID`, so that they never equal message ids: readers, idempotency keys and the usage
 * ledger refer to replies of both tables by one number.
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

  /**
   * Tokens of the prompt, mostly estimated. The prompt is not stored, but its tokens count if the reply is cut off.
   */
  @Column({ name: 'prompt_tokens', type: 'int' })
  promptTokens: number;

  /** Whether the reply answers repetitions of its request. The row then stays after the end. */
  @Column({ name: 'is_repeatable', type: 'boolean' })
  isRepeatable: boolean;

  get chatId(): number {
    return 0;
  }

  /** The id of the question in the usage ledger. */
  get parentId(): number {
    return questionOf(this.id);
  }
}

/** The first id: half of the range of an id column. The migration sets it. */
export const FIRST_GENERATION_ID = 2 ** 30;

/** The id of the question of a generation, which no table has. Negative, unlike all message ids. */
export function questionOf(generationId: number): number {
  return -generationId;
}
