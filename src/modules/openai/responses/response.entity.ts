import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';
import type { ToolListing } from './wire/listed-tools';
import type { ResponseSettings } from './wire/response-settings';
import type { ToolLabels } from './wire/tool-labels';

/** What a stored response is, beside the messages of its conversation. The row goes with the message of the reply. */
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

  /** How many messages the input made. */
  @Column({ name: 'turn_count', type: 'int' })
  turnCount: number;

  /** Whether the client named the conversation. Otherwise it was made for this response and those that continue it. */
  @Column({ name: 'is_in_conversation', type: 'boolean' })
  isInConversation: boolean;

  @JsonColumn()
  settings: ResponseSettings;

  /** The tools of the agent that its model was offered; null: none. */
  @JsonColumn({ nullable: true })
  labels: ToolLabels | null;

  /** What it lists of them; null: nothing. */
  @JsonColumn({ nullable: true })
  listed: readonly ToolListing[] | null;

  /** Nobody finds it any more. It is kept until those are deleted too that its reply has gone on as, because they repeat it. */
  @Column({ name: 'is_deleted', type: 'boolean', default: false })
  isDeleted: boolean;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
