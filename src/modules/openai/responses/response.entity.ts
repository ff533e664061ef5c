import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { ToolListing } from './wire/listed-tools';
import type { ResponseSettings } from './wire/response-settings';
import type { ToolLabels } from './wire/tool-labels';

/**
 * The data of a stored response that is not in the messages of its conversation. The row is erased with the message of
 * the reply.
 */
@Entity('openai_responses')
@Index('ix_openai_responses_user_id', ['userId', 'id'])
@Index('ix_openai_responses_chat_id', ['chatId', 'id'])
export class ResponseEntity {
  /** The message of the reply. */
  @ForeignKey('MessageEntity', { name: 'fk_openai_responses_message_id', onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @PrimaryColumn({ name: 'message_id', type: 'int' })
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /** The last message of the input. */
  @Column({ name: 'question_id', type: 'int' })
  questionId: number;

  /** The number of messages that the input created. */
  @Column({ name: 'turn_count', type: 'int' })
  turnCount: number;

  /** Whether the client named the conversation. Otherwise it was created for this response and its continuations. */
  @Column({ name: 'is_in_conversation', type: 'boolean' })
  isInConversation: boolean;

  @JsonColumn()
  settings: ResponseSettings;

  /** The tools of the agent that the model got; null: none. */
  @JsonColumn({ nullable: true })
  labels: ToolLabels | null;

  /** The tools that the response lists; null: none. */
  @JsonColumn({ nullable: true })
  listed: readonly ToolListing[] | null;

  /**
   * Hidden from clients. The row is kept until all continuations of its reply are deleted, because they repeat its
   * settings.
   */
  @Column({ name: 'is_deleted', type: 'boolean', default: false })
  isDeleted: boolean;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
