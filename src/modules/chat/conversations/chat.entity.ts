import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { DeletedAtColumn, JsonColumn, TimestampColumn } from '../../../database/columns';

/** A user's conversation with an agent. A deleted one (`deletedAt`) stays in the trash until it is erased. */
@Entity('chats')
@Index('ix_chats_user_id_updated_at', ['userId', 'deletedAt', 'updatedAt', 'id'])
@Index('ix_chats_user_id', ['userId', 'deletedAt'])
@Index('ix_chats_active_message_id', ['activeMessageId', 'userId'])
@Index('ix_chats_agent_id', ['agentId'])
@Index('ix_chats_created_at', ['createdAt'])
@Index('ix_chats_last_message_at', ['lastMessageAt', 'createdAt'])
// Only SQLite applies the condition.
@Index('ix_chats_deleted_at', ['deletedAt'], { where: 'deleted_at IS NOT NULL' })
export class ChatEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'user_id', type: 'int' })
  userId: number;

  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  @Column({ type: 'varchar', length: 200 })
  title: string;

  /** Whether the title is still "New chat". The first exchange then replaces it. */
  @Column({ name: 'has_placeholder_title', type: 'boolean' })
  hasPlaceholderTitle: boolean;

  /** Language tag of the request that created the conversation. Replies use this language. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  language: string | null;

  @Column({ name: 'is_pinned', type: 'boolean' })
  isPinned: boolean;

  @Column({ name: 'is_archived', type: 'boolean' })
  isArchived: boolean;

  @JsonColumn()
  tags: string[];

  /** The collections that its replies search, possibly deleted ones; null: none. */
  @JsonColumn({ nullable: true })
  knowledge: number[] | null;

  /** Whether it has files that its replies search. */
  @Column({ name: 'has_files', type: 'boolean', default: false })
  hasFiles: boolean;

  /** The number of messages on the current line. Stored, so that lists need no COUNT. */
  @Column({ name: 'message_count', type: 'int' })
  messageCount: number;

  @TimestampColumn({ name: 'last_message_at', nullable: true })
  lastMessageAt: Date | null;

  /** The running reply. Conditional updates set and clear it, which makes it the lock against a second reply. */
  @Column({ name: 'active_message_id', type: 'int', nullable: true })
  activeMessageId: number | null;

  /** The last message of the current line, which the next message follows. Null in a conversation without messages. */
  @Column({ name: 'line_end_id', type: 'int', nullable: true })
  lineEndId: number | null;

  /**
   * The end of the line before a regeneration, while its reply runs. If that reply ends without text, the old line is
   * restored. Null otherwise.
   */
  @Column({ name: 'former_line_end_id', type: 'int', nullable: true })
  formerLineEndId: number | null;

  /**
   * The reply that started last. After a regeneration, other replies may follow it on the line. Null before the first
   * reply.
   */
  @Column({ name: 'last_reply_id', type: 'int', nullable: true })
  lastReplyId: number | null;

  /** The reply whose exchange produced the current title. Null if the user set the title or there is none yet. */
  @Column({ name: 'title_reply_id', type: 'int', nullable: true })
  titleReplyId: number | null;

  /** The last message that the owner has read on any device. Null if none was marked as read. */
  @Column({ name: 'read_message_id', type: 'int', nullable: true })
  readMessageId: number | null;

  /** When it was copied from a shared conversation, so that it may contain text of other users. Null: not a copy. */
  @TimestampColumn({ name: 'copied_at', nullable: true })
  copiedAt: Date | null;

  /**
   * When the conversation last contained untrusted content: a file, a client's function result or a summary. Null:
   * never.
   */
  @TimestampColumn({ name: 'tainted_at', nullable: true })
  taintedAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** Time of the last message or the user's last edit, by which lists are sorted. */
  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;

  @DeletedAtColumn()
  deletedAt: Date | null;
}
