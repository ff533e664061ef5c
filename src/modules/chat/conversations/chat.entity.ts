import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { DeletedAtColumn, JsonColumn, TimestampColumn } from '../../../database/columns';

/** A conversation of one user with one agent. A deleted one (`deletedAt`) stays in the trash until it is erased. */
@Entity('chats')
@Index('ix_chats_user_id_updated_at', ['userId', 'deletedAt', 'updatedAt', 'id'])
@Index('ix_chats_user_id', ['userId', 'deletedAt'])
@Index('ix_chats_active_message_id', ['activeMessageId', 'userId'])
@Index('ix_chats_agent_id', ['agentId'])
@Index('ix_chats_created_at', ['createdAt'])
// The condition counts on SQLite only.
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

  /** Whether the title is still "New chat". Then the first exchange gives a better one. */
  @Column({ name: 'has_placeholder_title', type: 'boolean' })
  hasPlaceholderTitle: boolean;

  /** Language tag from the request that created the conversation. Replies are written in this language. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  language: string | null;

  @Column({ name: 'is_pinned', type: 'boolean' })
  isPinned: boolean;

  @Column({ name: 'is_archived', type: 'boolean' })
  isArchived: boolean;

  @JsonColumn()
  tags: string[];

  /** How many messages the current line has, which an ordinary read shows. Stored, so that no list has to count. */
  @Column({ name: 'message_count', type: 'int' })
  messageCount: number;

  @TimestampColumn({ name: 'last_message_at', nullable: true })
  lastMessageAt: Date | null;

  /** The reply that is being written. Conditional updates set and clear it: it is the lock against a second reply. */
  @Column({ name: 'active_message_id', type: 'int', nullable: true })
  activeMessageId: number | null;

  /** The last message of the current line: the next message follows it. Null in a conversation without messages. */
  @Column({ name: 'line_end_id', type: 'int', nullable: true })
  lineEndId: number | null;

  /**
   * Where the line ended before a regeneration, while its reply runs: if that reply ends without a word, the old line comes
   * back. Null otherwise.
   */
  @Column({ name: 'former_line_end_id', type: 'int', nullable: true })
  formerLineEndId: number | null;

  /** The reply that began last. After a regeneration it may stand before others. Null before the first reply. */
  @Column({ name: 'last_reply_id', type: 'int', nullable: true })
  lastReplyId: number | null;

  /** The reply whose exchange gave the present title. Null when the user gave it, or there is none yet. */
  @Column({ name: 'title_reply_id', type: 'int', nullable: true })
  titleReplyId: number | null;

  /** How far its owner has read it, on any device. Null before the owner said so. */
  @Column({ name: 'read_message_id', type: 'int', nullable: true })
  readMessageId: number | null;

  /** When it was copied from a shared conversation, so that others may have said what stands in it. Null: it was not. */
  @TimestampColumn({ name: 'copied_at', nullable: true })
  copiedAt: Date | null;

  /** When untrusted content was last sent in it: a file, a result of a client's function or a summary. Null: never. */
  @TimestampColumn({ name: 'tainted_at', nullable: true })
  taintedAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  /** Time of the last message or of the user's last edit. Lists are sorted by it. */
  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;

  @DeletedAtColumn()
  deletedAt: Date | null;
}
