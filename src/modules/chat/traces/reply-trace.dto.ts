import { ApiProperty } from '@nestjs/swagger';
import { type TokenUsageDto, toTokenUsageDto } from '../../../common/token-usage.dto';
import {
  FINISH_REASONS,
  type FinishReason,
  REPLY_STATUSES,
  type ReplyStatus,
  type StoredAttempt,
  type ToolTime,
} from '../../generation/generation.api';
import type { TracedReply } from './traces.service';

const OUTCOMES = ['answered', 'failed', 'ended'] as const;

/** A request to a model. */
export class TraceAttemptDto {
  /** `compaction`: it made the conversation shorter before the reply. @example "reply" */
  @ApiProperty({ enum: ['reply', 'compaction'] })
  kind: 'reply' | 'compaction';

  /** The round that it belongs to: a reply goes on in a new round after its calls of tools. From 1. @example 1 */
  round: number;

  /** The provider's name. @example "openai" */
  provider: string;

  /** The model, as it was asked. @example "gpt-4o-mini" */
  model: string;

  /** `ended`: the user or the service ended it. @example "answered" */
  @ApiProperty({ enum: OUTCOMES })
  outcome: (typeof OUTCOMES)[number];

  /** The code of the error; null: it did not fail. @example "PROVIDER_UNAVAILABLE" */
  code: string | null;

  /** A parameter or a feature that the model refused, and is not sent from then on; null: none. @example "temperature" */
  learned: string | null;

  /** When the request began. @example "2026-07-31T12:00:00.012Z" */
  started_at: string;

  /** Milliseconds from its start to its first token; null: none came. @example 420 */
  first_token_ms: number | null;

  /** Milliseconds from its start to its end. @example 1800 */
  duration_ms: number;
}

/** The same, with what the provider said. */
export class AdminTraceAttemptDto extends TraceAttemptDto {
  /** HTTP status of the provider's refusal; null: there was none. @example 503 */
  provider_status: number | null;

  /** The provider's sentence without keys, or the connection's error; null: none. @example "The model is overloaded." */
  provider_message: string | null;
}

/** A call of a tool, without what it was given and what came of it. */
export class TraceToolDto {
  /** The tool, as the model called it. @example "find_order" */
  name: string;

  /** The MCP server that it comes from; null: the service itself. @example "warehouse" */
  server: string | null;

  /** The round whose answer called it, from 1. @example 1 */
  round: number;

  /** How it stands; clients must expect further states. @example "succeeded" */
  state: string;

  /** When it was called for the first time; null: it was not. @example "2026-07-31T12:00:02.000Z" */
  started_at: string | null;

  /** Milliseconds that the call took; null: it has not ended, or was not made. @example 350 */
  duration_ms: number | null;
}

/** How a reply came about. */
export class ReplyTraceDto {
  /** The reply. @example 2 */
  message_id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** How it stands. @example "completed" */
  @ApiProperty({ enum: REPLY_STATUSES })
  status: ReplyStatus;

  /** Why it ended; null: it has not, or nobody knows. @example "stop" */
  @ApiProperty({ enum: FINISH_REASONS, nullable: true })
  finish_reason: FinishReason | null;

  /** The code of the error that it failed with; null: it did not fail. @example "PROVIDER_UNAVAILABLE" */
  error_code: string | null;

  /** When it was asked for. @example "2026-07-31T12:00:00.000Z" */
  started_at: string;

  /** When it ended; null: it has not. @example "2026-07-31T12:00:02.500Z" */
  ended_at: string | null;

  /** Milliseconds to the first token of the reply; null: there was none. @example 432 */
  first_token_ms: number | null;

  /** Milliseconds from its start to its end; null: it has not ended. @example 2500 */
  duration_ms: number | null;

  /** How often a model was asked to go on, with or without tools; 0: not yet. @example 1 */
  rounds: number;

  /** The requests to models, in their order: the first 64. Empty for replies of earlier versions. */
  attempts: TraceAttemptDto[];

  /** The calls of tools, in their order: the first 200. */
  tools: TraceToolDto[];

  /** Tokens and cost; null: the reply has not ended. */
  token_usage: TokenUsageDto | null;
}

/** How a reply of anybody came about, with what the providers said. */
export class AdminReplyTraceDto extends ReplyTraceDto {
  /** Whose reply it is. @example 42 */
  user_id: number;

  /** The agent of the conversation. @example 1 */
  agent_id: number;

  declare attempts: AdminTraceAttemptDto[];
}

export function toReplyTraceDto({ reply, attempts, tools }: TracedReply): ReplyTraceDto {
  const { status, tokenUsage } = reply;
  const rounds = [...attempts, ...tools].reduce((most, { round = 1 }) => Math.max(most, round), 0);
  return {
    message_id: reply.id,
    chat_id: reply.chatId,
    status,
    finish_reason: reply.finishReason,
    error_code: reply.failure?.code ?? null,
    started_at: reply.createdAt.toISOString(),
    ended_at: reply.completedAt?.toISOString() ?? null,
    first_token_ms: reply.firstTokenMs,
    duration_ms: reply.durationMs,
    rounds,
    attempts: attempts.map((attempt) => toAttemptDto(attempt, reply.createdAt)),
    tools: tools.map(toToolDto),
    token_usage: status === 'streaming' || tokenUsage === null ? null : toTokenUsageDto(tokenUsage),
  };
}

export function toAdminReplyTraceDto(traced: TracedReply): AdminReplyTraceDto {
  const { attempts, reply, chat } = traced;
  return {
    ...toReplyTraceDto(traced),
    user_id: chat.userId,
    agent_id: chat.agentId,
    attempts: attempts.map((attempt) => ({
      ...toAttemptDto(attempt, reply.createdAt),
      provider_status: attempt.status ?? null,
      provider_message: attempt.said ?? null,
    })),
  };
}

function toAttemptDto(attempt: StoredAttempt, startedAt: Date): TraceAttemptDto {
  const { kind = 'reply', round = 1, provider, model, at, first = null, ms, code = null, refused = null } = attempt;
  return {
    kind,
    round,
    provider,
    model,
    outcome: code !== null ? 'failed' : attempt.cut === true ? 'ended' : 'answered',
    code,
    learned: refused,
    started_at: new Date(startedAt.getTime() + at).toISOString(),
    first_token_ms: first,
    duration_ms: ms,
  };
}

function toToolDto({ name, server, round, state, startedAt, durationMs }: ToolTime): TraceToolDto {
  return { name, server, round, state, started_at: startedAt?.toISOString() ?? null, duration_ms: durationMs };
}
