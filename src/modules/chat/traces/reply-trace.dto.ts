import { ApiProperty } from '@nestjs/swagger';
import { type TokenUsageDto, toTokenUsageDto } from '../../../common/token-usage.dto';
import {
  FINISH_REASONS,
  type FinishReason,
  REPLY_STATUSES,
  type ReplyStatus,
  type StoredRequest,
  type ToolTime,
} from '../../generation/generation.api';
import {
  GUARD_ACTIONS,
  GUARD_FAULTS,
  GUARD_STAGES,
  type GuardAction,
  type GuardFault,
  type GuardStage,
  ofOwner,
} from '../../guard/guard.api';
import type { TracedReply } from './traces.service';

const OUTCOMES = ['answered', 'failed', 'ended'] as const;

/** A request to a model. */
export class TraceAttemptDto {
  /** `compaction`: it summarized the conversation before the reply. @example "reply" */
  @ApiProperty({ enum: ['reply', 'compaction'] })
  kind: 'reply' | 'compaction';

  /** The round of the request, from 1. A reply continues in a new round after its tool calls. @example 1 */
  round: number;

  /** The provider's name. @example "openai" */
  provider: string;

  /** The model in the request. @example "gpt-4o-mini" */
  model: string;

  /** `ended`: the user or the service ended the request. @example "answered" */
  @ApiProperty({ enum: OUTCOMES })
  outcome: (typeof OUTCOMES)[number];

  /** The error code; null: no error. @example "PROVIDER_UNAVAILABLE" */
  code: string | null;

  /** A parameter or feature that the model rejected and that later requests omit; null: none. @example "temperature" */
  learned: string | null;

  /** When the request started. @example "2026-07-31T12:00:00.012Z" */
  started_at: string;

  /** Milliseconds from the start to the first token; null: no token. @example 420 */
  first_token_ms: number | null;

  /** Milliseconds from the start to the end. @example 1800 */
  duration_ms: number;

  /** The span of the model in OpenTelemetry, which includes its retries; null: not traced. @example "00f067aa0ba902b7" */
  span_id: string | null;
}

/** A request to a model, with the provider's error. */
export class AdminTraceAttemptDto extends TraceAttemptDto {
  /** HTTP status of the provider's error; null: none. @example 503 */
  provider_status: number | null;

  /**
   * The provider's error message with secrets removed, or the connection error; null: none.
   * @example "The model is overloaded."
   */
  provider_message: string | null;
}

/** A tool call, without its arguments and result. */
export class TraceToolDto {
  /** The tool name in the model's call. @example "find_order" */
  name: string;

  /** The MCP server of the tool; null: a built-in tool. @example "warehouse" */
  server: string | null;

  /** The round that requested the call, from 1. @example 1 */
  round: number;

  /** The state of the call. Clients must accept unknown states. @example "succeeded" */
  state: string;

  /** When the call was first made; null: not made. @example "2026-07-31T12:00:02.000Z" */
  started_at: string | null;

  /** Duration of the call in milliseconds; null: it has not ended or was not made. @example 350 */
  duration_ms: number | null;

  /** The span of its last attempt in OpenTelemetry; null: not traced. @example "53995c3f42cd8ad8" */
  span_id: string | null;
}

/** A check by a guard. It has no text. */
export class TraceGuardDto {
  /** The guard's name. @example "personal-data" */
  name: string;

  /** Where the guard checked the text. @example "input" */
  @ApiProperty({ enum: GUARD_STAGES })
  stage: GuardStage;

  /** What happened to the text. @example "mask" */
  @ApiProperty({ enum: GUARD_ACTIONS })
  action: GuardAction;

  /** What the guard found, and how often. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, example: { EMAIL: 2 } })
  types: Record<string, number>;

  /** Duration of the check in milliseconds. @example 12 */
  duration_ms: number;

  /** Why the guard could not decide; null: it decided. @example null */
  @ApiProperty({ enum: GUARD_FAULTS, nullable: true, example: null })
  error: GuardFault | null;

  /** The cost that the guard named; null: none. @example "0.0001" */
  cost: string | null;
}

/** The requests and tool calls that produced a reply. */
export class ReplyTraceDto {
  /** The reply. @example 2 */
  message_id: number;

  /** The conversation. @example 1 */
  chat_id: number;

  /** The status of the reply. @example "completed" */
  @ApiProperty({ enum: REPLY_STATUSES })
  status: ReplyStatus;

  /** Why the reply ended; null: it has not ended, or the reason is unknown. @example "stop" */
  @ApiProperty({ enum: FINISH_REASONS, nullable: true })
  finish_reason: FinishReason | null;

  /** The error code of a failed reply; null: it did not fail. @example "PROVIDER_UNAVAILABLE" */
  error_code: string | null;

  /** When the reply was requested. @example "2026-07-31T12:00:00.000Z" */
  started_at: string;

  /** When the reply ended; null: it has not ended. @example "2026-07-31T12:00:02.500Z" */
  ended_at: string | null;

  /** Milliseconds to the first token of the reply; null: no token. @example 432 */
  first_token_ms: number | null;

  /** Milliseconds from the start to the end; null: it has not ended. @example 2500 */
  duration_ms: number | null;

  /** The number of rounds, each with a model call; 0: not yet started. @example 1 */
  rounds: number;

  /** The first 64 requests to models, in order. Empty for replies of earlier versions. */
  attempts: TraceAttemptDto[];

  /** The first 200 tool calls, in order. */
  tools: TraceToolDto[];

  /** The checks by guards, in order. Those of guards that only report are shown to administrators. */
  guards: TraceGuardDto[];

  /** Tokens and cost; null: the reply has not ended. */
  token_usage: TokenUsageDto | null;

  /** The trace of the reply in OpenTelemetry; null: not traced. @example "4bf92f3577b34da6a3ce929d0e0e4736" */
  trace_id: string | null;

  /** Whether the trace was selected for sending; null: not traced. @example true */
  trace_sampled: boolean | null;

  /** All its traces, if the reply continued in others. @example ["4bf92f3577b34da6a3ce929d0e0e4736", "0af7651916cd43dd8448eb211c80319c"] */
  trace_ids?: string[];
}

/** The requests and tool calls that produced a reply of any user, with the providers' errors. */
export class AdminReplyTraceDto extends ReplyTraceDto {
  /** The owner of the reply. @example 42 */
  user_id: number;

  /** The agent of the conversation. @example 1 */
  agent_id: number;

  /**
   * The address of the trace, from `TRACE_URL`; null: not traced, or no address is configured.
   * @example "https://tempo.example.com/trace/4bf92f3577b34da6a3ce929d0e0e4736"
   */
  trace_url: string | null;

  declare attempts: AdminTraceAttemptDto[];
}

export function toReplyTraceDto({ reply, requests, tools, guards, traces }: TracedReply): ReplyTraceDto {
  const { status, tokenUsage } = reply;
  const rounds = [...requests, ...tools].reduce((most, { round = 1 }) => Math.max(most, round), 0);
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
    attempts: requests.map((attempt) => toAttemptDto(attempt, reply.createdAt)),
    tools: tools.map(toToolDto),
    guards: ofOwner(guards),
    token_usage: status === 'streaming' || tokenUsage === null ? null : toTokenUsageDto(tokenUsage),
    ...traces,
  };
}

export function toAdminReplyTraceDto(traced: TracedReply): AdminReplyTraceDto {
  const { requests, reply, chat, guards, traceUrl } = traced;
  return {
    ...toReplyTraceDto(traced),
    user_id: chat.userId,
    agent_id: chat.agentId,
    guards: [...guards],
    trace_url: traceUrl,
    attempts: requests.map((attempt) => ({
      ...toAttemptDto(attempt, reply.createdAt),
      provider_status: attempt.status ?? null,
      provider_message: attempt.said ?? null,
    })),
  };
}

function toAttemptDto(attempt: StoredRequest, startedAt: Date): TraceAttemptDto {
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
    span_id: attempt.span ?? null,
  };
}

function toToolDto({ name, server, round, state, startedAt, durationMs, spanId = null }: ToolTime): TraceToolDto {
  const started_at = startedAt?.toISOString() ?? null;
  return { name, server, round, state, started_at, duration_ms: durationMs, span_id: spanId };
}
