import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { LongTextColumn, TimestampColumn } from '../../../database/columns';
import { textIndexTables } from '../../../integrations/text-index/text-index-tables';
import { type MessageRole, ReplyRow } from '../../generation/generation.api';

export const FEEDBACK_RATINGS = ['like', 'dislike'] as const;

export type FeedbackRating = (typeof FEEDBACK_RATINGS)[number];

/**
 * One message, with the columns of a reply, of which the others have only some. Who may read it depends on its conversation: on
 * the owner, and on whether it is in the trash. No column has a default, because TypeORM would read the row again after each
 * insert.
 */
@Entity('chat_messages')
@Index('ix_chat_messages_chat_id_position', ['chatId', 'position'])
@Index('ix_chat_messages_feedback_at', ['feedbackAt', 'chatId', 'feedbackRating'])
export class MessageEntity extends ReplyRow {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'chat_id', type: 'int' })
  chatId: number;

  /**
   * How many messages stand before its exchange. All wordings of a user's message and all replies to them have the same
   * position, so a new version takes the place of the earlier one. Messages are sorted by position, then by id.
   */
  @Column({ type: 'int' })
  position: number;

  @Column({ type: 'varchar', length: 16 })
  role: MessageRole;

  /** Language tag sent with a user's message. Null: the language of the conversation, if it has one. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  language: string | null;

  /** The message before it: for a reply the user's message, for a user's message the reply before. Null for the first. */
  @Column({ name: 'parent_id', type: 'int', nullable: true })
  parentId: number | null;

  /** Whether it is on the current line of the conversation. Only `branches=all` shows the others. */
  @Column({ name: 'is_current', type: 'boolean' })
  isCurrent: boolean;

  /** Tokens of `content`, mostly estimated. With them a prompt is chosen without tokenising the history again. */
  @Column({ name: 'token_count', type: 'int' })
  tokenCount: number;

  /** The same as counted by o200k_base, for budgets with a hard limit. Null: not counted yet. */
  @Column({ name: 'counted_tokens', type: 'int', nullable: true })
  countedTokens: number | null;

  /** Tokens that pages of its PDFs may take beyond that: held in budgets, not in the context. Null: no file, or not counted. */
  @Column({ name: 'page_tokens', type: 'int', nullable: true })
  pageTokens: number | null;

  @Column({ name: 'feedback_rating', type: 'varchar', length: 16, nullable: true })
  feedbackRating: FeedbackRating | null;

  @Column({ name: 'feedback_comment', type: 'varchar', length: 2000, nullable: true })
  feedbackComment: string | null;

  @TimestampColumn({ name: 'feedback_at', nullable: true })
  feedbackAt: Date | null;

  /** Names of its images and files, one a line, for searches; null when none has one. */
  @LongTextColumn({ name: 'file_names', nullable: true })
  fileNames: string | null;

  /** The options of a program with which the reply was asked for; null: none. */
  @Column({ name: 'wishes_id', type: 'int', nullable: true })
  optionsId: number | null;

  /** Who answered instead of the agent of the conversation, and answers what follows: see `ReplyAgents`. Null: that agent. */
  @Column({ type: 'varchar', length: 300, nullable: true })
  answerer: string | null;
}

/** The tables of the index of messages. */
export const SEARCH_TABLES = textIndexTables('chat_search');
