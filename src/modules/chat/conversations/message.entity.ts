import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { type TokenUsageDto, toTokenUsageDto } from '../../../common/token-usage.dto';
import { JsonColumn, LongTextColumn, TimestampColumn } from '../../../database/columns';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import type { StoredPart } from './stored-parts';

/** `system`: what a program told the model, not the agent's own prompt. */
export const MESSAGE_ROLES = ['user', 'assistant', 'system'] as const;

export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** `stopped`: the user stopped it. `interrupted`: the service went down while the reply was written. */
export const MESSAGE_STATUSES = ['streaming', 'completed', 'stopped', 'interrupted', 'failed'] as const;

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const FINISH_REASONS = ['stop', 'length', 'content_filter', 'tool_calls', 'cancelled', 'error'] as const;

export type FinishReason = (typeof FINISH_REASONS)[number];

export const FEEDBACK_RATINGS = ['like', 'dislike'] as const;

export type FeedbackRating = (typeof FEEDBACK_RATINGS)[number];

/** Why a reply failed, as stored. The sentence for people is made when the failure is shown, in the reader's language. */
export interface MessageFailure {
  code: string;
  /** Whether sending again may help. */
  retryable: boolean;
  /** Seconds to wait before sending again, if the provider named them. */
  retry_after?: number;
  /** Facts for the sentence, such as the limit that was exceeded. */
  details?: Record<string, string | number>;
}

/** Stored as JSON with the field names of the API, because the first release stored it so. */
const storedUsage = {
  to: (usage: ReplyTokenUsage | null | undefined): string | null | undefined =>
    usage && JSON.stringify(toTokenUsageDto(usage)),
  from: (json: string | null): ReplyTokenUsage | null =>
    json === null ? null : fromStored(JSON.parse(json) as TokenUsageDto),
};

function fromStored(stored: TokenUsageDto): ReplyTokenUsage {
  return {
    prompt: stored.prompt_tokens,
    completion: stored.completion_tokens,
    total: stored.total_tokens,
    cached: stored.cached_tokens,
    reasoning: stored.reasoning_tokens,
    isEstimated: stored.is_estimated,
    model: stored.model,
  };
}

/**
 * One message. Who may read it depends on its conversation: on the owner, and on whether it is in the trash. No column has a
 * default, because TypeORM would read the row again after each insert.
 */
@Entity('chat_messages')
@Index('ix_chat_messages_chat_id_position', ['chatId', 'position'])
@Index('ix_chat_messages_feedback_at', ['feedbackAt', 'chatId', 'feedbackRating'])
export class MessageEntity {
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

  /** Exactly what was sent or generated. For a running reply: what has been flushed. */
  @LongTextColumn()
  content: string;

  /** What the model thought; not part of the text. Null: nothing. For a running reply: what has been flushed. */
  @LongTextColumn({ nullable: true })
  reasoning: string | null;

  /** Language tag sent with a user's message. Null: the language of the conversation, if it has one. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  language: string | null;

  @Column({ type: 'varchar', length: 16 })
  status: MessageStatus;

  @Column({ name: 'finish_reason', type: 'varchar', length: 16, nullable: true })
  finishReason: FinishReason | null;

  /** The message before it: for a reply the user's message, for a user's message the reply before. Null for the first. */
  @Column({ name: 'parent_id', type: 'int', nullable: true })
  parentId: number | null;

  /** Whether it is on the current line of the conversation. Only `branches=all` shows the others. */
  @Column({ name: 'is_current', type: 'boolean' })
  isCurrent: boolean;

  /** The model that answered. */
  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME, nullable: true })
  model: string | null;

  @LongTextColumn({ name: 'token_usage', nullable: true, transformer: storedUsage })
  tokenUsage: ReplyTokenUsage | null;

  /** Tokens of `content`, mostly estimated. With them a prompt is chosen without tokenising the history again. */
  @Column({ name: 'token_count', type: 'int' })
  tokenCount: number;

  @JsonColumn({ nullable: true })
  failure: MessageFailure | null;

  @Column({ name: 'feedback_rating', type: 'varchar', length: 16, nullable: true })
  feedbackRating: FeedbackRating | null;

  @Column({ name: 'feedback_comment', type: 'varchar', length: 2000, nullable: true })
  feedbackComment: string | null;

  @TimestampColumn({ name: 'feedback_at', nullable: true })
  feedbackAt: Date | null;

  /** The instance that writes the reply; null once it has ended. */
  @Column({ name: 'owner_id', type: 'varchar', length: 36, nullable: true })
  ownerId: string | null;

  /** The API key that the message was sent with, or its reply asked for; null: none. */
  @Column({ name: 'api_key_id', type: 'int', nullable: true })
  apiKeyId: number | null;

  /** When the instance that writes the reply was asked to stop it. */
  @TimestampColumn({ name: 'stop_requested_at', nullable: true })
  stopRequestedAt: Date | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;

  @TimestampColumn({ name: 'completed_at', nullable: true })
  completedAt: Date | null;

  /** Milliseconds from the start of the reply to its first token of text or reasoning. */
  @Column({ name: 'first_token_ms', type: 'int', nullable: true })
  firstTokenMs: number | null;

  /** Milliseconds from the start of the reply to its end. */
  @Column({ name: 'duration_ms', type: 'int', nullable: true })
  durationMs: number | null;

  /** All its parts in their order, when it is more than text; else null. `content` has their text. */
  @JsonColumn({ nullable: true })
  parts: StoredPart[] | null;

  /** Names of its images and files, one a line, for searches; null when none has one. */
  @LongTextColumn({ name: 'file_names', nullable: true })
  fileNames: string | null;

  /** The bounds of the steps of a reply whose events have numbers (`encodeSteps`); null for other messages. */
  @LongTextColumn({ nullable: true })
  steps: string | null;

  /** The wishes of a program with which the reply was asked for; null: none. */
  @Column({ name: 'wishes_id', type: 'int', nullable: true })
  wishesId: number | null;

  /** Who answered instead of the agent of the conversation, and answers what follows: see `Answerers`. Null: that agent. */
  @Column({ type: 'varchar', length: 300, nullable: true })
  answerer: string | null;
}
