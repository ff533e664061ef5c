import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { JsonColumn } from '../../../database/columns';

/**
 * The client's metadata of a conversation. A conversation that never had metadata has no row. The row is erased with
 * the conversation.
 */
@Entity('openai_conversations')
@Index('ix_openai_conversations_user_id', ['userId', 'id'])
export class ConversationEntity {
  /** The conversation. */
  @ForeignKey('ChatEntity', { name: 'fk_openai_conversations_chat_id', onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @PrimaryColumn({ name: 'chat_id', type: 'int' })
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @JsonColumn()
  metadata: Record<string, string>;
}
