import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { DeletedAtColumn, JsonColumn, TimestampColumn } from '../../../database/columns';

/** A conversation of one user with one agent. A deleted one (`deletedAt`) lies in the trash until it is purged. */
@Entity('chats')
@Index('ix_chats_user_id_updated_at', ['userId', 'deletedAt', 'updatedAt', 'id'])
@Index('ix_chats_active_message_id', ['activeMessageId', 'userId'])
@Index('ix_chats_agent_id', ['agentId'])
@Index('ix_chats_deleted_at', ['deletedAt'])
export class ChatEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  @Column({ type: 'varchar', length: 200 })
  title: string;

  /** The title is still "New chat": the first exchange will give a better one. */
  @Column({ name: 'has_placeholder_title', type: 'boolean' })
  hasPlaceholderTitle: boolean;

  /** Language tag that was asked for when the conversation was created; replies are wanted in it. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  language: string | null;

  @Column({ name: 'is_pinned', type: 'boolean' })
  isPinned: boolean;

  @Column({ name: 'is_archived', type: 'boolean' })
  isArchived: boolean;

  @JsonColumn()
  tags: string[];

  /** Messages of the current line, which an ordinary read shows; kept here so that no list has to count. */
  @Column({ name: 'message_count', type: 'int' })
  messageCount: number;

  @TimestampColumn({ name: 'last_message_at', nullable: true })
  lastMessageAt: Date | null;

  /** The reply that is being written. Set and cleared by conditional updates: it is the lock against a second reply. */
  @Column({ name: 'active_message_id', type: 'int', nullable: true })
  activeMessageId: number | null;

  /** The last message of the current line, which the next one follows; null in a conversation without messages. */
  @Column({ name: 'line_end_id', type: 'int', nullable: true })
  lineEndId: number | null;

  /**
   * Where the line ended before a message was answered anew, for as long as the reply runs: one without a word gives the
   * line back. Null while a message of its own is answered.
   */
  @Column({ name: 'former_line_end_id', type: 'int', nullable: true })
  formerLineEndId: number | null;

  /** The reply that was begun last, which after regenerating need not be the last one in order; null before the first. */
  @Column({ name: 'last_reply_id', type: 'int', nullable: true })
  lastReplyId: number | null;

  /** The reply whose exchange gave the present title; null when the user gave it, or nobody has yet. */
  @Column({ name: 'title_reply_id', type: 'int', nullable: true })
  titleReplyId: number | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** Moves with messages and with the user's own edits; lists are sorted by it. */
  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;

  @DeletedAtColumn()
  deletedAt: Date | null;
}
