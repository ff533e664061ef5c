import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongTextColumn, TimestampColumn } from '../../../database/columns';
import { textIndexTables } from '../../../integrations/text-index/text-index-tables';
import { type MessageRole, ReplyRow } from '../../generation/generation.api';

export const FEEDBACK_RATINGS = ['like', 'dislike'] as const;

export type FeedbackRating = (typeof FEEDBACK_RATINGS)[number];

/**
 * A message, with the columns of a reply; user messages use only some of them. The owner of the conversation may read
 * it, unless the conversation is in the trash. No column has a default, because TypeORM would read the row again after
 * each insert.
 */
@Entity('chat_messages')
@Index('ix_chat_messages_chat_id_position', ['chatId', 'position'])
@Index('ix_chat_messages_feedback_at', ['feedbackAt', 'chatId', 'feedbackRating'])
// Only SQLite applies the condition.
@Index('ix_chat_messages_traced', ['completedAt'], { where: 'trace IS NOT NULL' })
export class MessageEntity extends ReplyRow {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /**
   * The number of messages before its exchange. All wordings of a user's message and all replies to them share one
   * position, so a new version replaces the earlier one. Messages are sorted by position, then by ID.
   */
  @Column({ type: 'int' })
  position: number;

  @Column({ type: 'varchar', length: 16 })
  role: MessageRole;

  /** Language tag sent with a user's message. Null: the language of the conversation, if it has one. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  language: string | null;

  /**
   * The preceding message: for a reply the user's message, for a user's message the reply before. Null for the first.
   */
  @Column({ name: 'parent_id', type: 'int', nullable: true })
  parentId: number | null;

  /** Whether it is on the current line of the conversation. Only `branches=all` shows the others. */
  @Column({ name: 'is_current', type: 'boolean' })
  isCurrent: boolean;

  /**
   * Tokens of `content`, mostly estimated. They let the service select a prompt without tokenising the history again.
   */
  @Column({ name: 'token_count', type: 'int' })
  tokenCount: number;

  /** Exact tokens of `content` with o200k_base, for budgets with a hard limit. Null: not counted yet. */
  @Column({ name: 'counted_tokens', type: 'int', nullable: true })
  countedTokens: number | null;

  /**
   * Additional tokens that PDF pages may take. Budgets hold them; the context does not include them. Null: no file, or
   * not counted.
   */
  @Column({ name: 'page_tokens', type: 'int', nullable: true })
  pageTokens: number | null;

  @Column({ name: 'feedback_rating', type: 'varchar', length: 16, nullable: true })
  feedbackRating: FeedbackRating | null;

  @Column({ name: 'feedback_comment', type: 'varchar', length: 2000, nullable: true })
  feedbackComment: string | null;

  @TimestampColumn({ name: 'feedback_at', nullable: true })
  feedbackAt: Date | null;

  /** Names of its images and files, one per line, for search. Null: no names. */
  @LongTextColumn({ name: 'file_names', nullable: true })
  fileNames: string | null;

  /** The generation options that a client requested; null: none. */
  @Column({ name: 'wishes_id', type: 'int', nullable: true })
  optionsId: number | null;

  /**
   * The model or agent that answered instead of the agent of the conversation, and answers the messages that follow:
   * see `ReplyAgents`. Null: the agent of the conversation.
   */
  @Column({ type: 'varchar', length: 300, nullable: true })
  answerer: string | null;
}

/** The tables of the message index. */
export const SEARCH_TABLES = textIndexTables('chat_search');
