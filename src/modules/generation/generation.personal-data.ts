import { Injectable } from '@nestjs/common';
import { PersonalDataRegistry } from '../user/user.api';
import { targetsOf, ToolApprovalEntity } from './acting/approvals/tool-approval.entity';
import { ReplyRoundsEntity } from './acting/reply-rounds.entity';
import { WaitingReplies } from './acting/waiting-replies';
import { ToolActionEntity } from './actions/tool-action.entity';
import { ToolCallEntity } from './actions/tool-call.entity';
import { ReplyStopper } from './cluster/reply-stopper';
import { FailedReplyEntity } from './failures/failed-reply.entity';
import { GenerationEntity } from './generation.entity';
import { IdempotencyKeyEntity } from './idempotency/idempotency-key.entity';
import { ReplyTables } from './reply/reply-origin';

/** The engine's personal data: replies without a conversation, failures, tool calls and idempotency keys. */
@Injectable()
export class GenerationPersonalData {
  constructor(
    private readonly places: ReplyTables,
    private readonly stopper: ReplyStopper,
    private readonly waitingReplies: WaitingReplies,
    registry: PersonalDataRegistry,
  ) {
    registry.register({
      name: 'generations',
      entities: [GenerationEntity],
      rows: (userId) => registry.read(GenerationEntity, userId, toGenerationRow),
      settle: (userId) => this.stopReplies(userId),
      erase: (userId) => registry.delete(GenerationEntity, userId),
    });
    registry.register({
      name: 'failed_replies',
      entities: [FailedReplyEntity],
      rows: (userId) => registry.read(FailedReplyEntity, userId, toFailureRow),
      erase: (userId) => registry.delete(FailedReplyEntity, userId),
    });
    registry.register({
      name: 'tool_calls',
      entities: [ToolCallEntity],
      rows: (userId) => registry.read(ToolCallEntity, userId, toCallRow),
      erase: (userId) => registry.delete(ToolCallEntity, userId),
    });
    registry.register({
      name: 'tool_actions',
      entities: [ToolActionEntity],
      rows: (userId) => registry.read(ToolActionEntity, userId, toActionRow),
      erase: (userId) => registry.delete(ToolActionEntity, userId),
    });
    registry.register({
      name: 'tool_approvals',
      entities: [ToolApprovalEntity],
      rows: (userId) => registry.read(ToolApprovalEntity, userId, toApprovalRow),
      erase: (userId) => registry.delete(ToolApprovalEntity, userId),
    });
    registry.register({
      name: 'tool_runs',
      entities: [ReplyRoundsEntity],
      rows: (userId) => registry.read(ReplyRoundsEntity, userId, toRunRow),
      erase: (userId) => registry.delete(ReplyRoundsEntity, userId),
    });
    registry.register({
      name: 'request_keys',
      entities: [IdempotencyKeyEntity],
      rows: (userId) => registry.read(IdempotencyKeyEntity, userId, toKeyRow),
      erase: (userId) => registry.delete(IdempotencyKeyEntity, userId),
    });
  }

  /**
   * Stops running replies before data is erased. If data is kept for zero days, a reply may still be ending when the
   * account is closed. Its usage is counted first.
   */
  private async stopReplies(userId: number): Promise<void> {
    for (const place of this.places.all) {
      for (const messageId of await place.runningOf(userId)) {
        await this.stopper.stop(messageId);
      }
    }
    await this.waitingReplies.stopAll(userId);
  }
}

function toGenerationRow(generation: GenerationEntity): object {
  const { id, agentId, apiKeyId, status, content, parts, reasoning, createdAt } = generation;
  return {
    id,
    agent_id: agentId,
    api_key_id: apiKeyId,
    status,
    content,
    parts,
    reasoning,
    created_at: createdAt.toISOString(),
  };
}

/** Without the provider's message, which only administrators may read. */
function toFailureRow({ messageId, chatId, model, code, failedAt }: FailedReplyEntity): object {
  return { message_id: messageId, chat_id: chatId || null, model, code, failed_at: failedAt.toISOString() };
}

function toRunRow({ messageId, round, createdAt }: ReplyRoundsEntity): object {
  return { message_id: messageId, rounds: round, created_at: createdAt.toISOString() };
}

function toCallRow(call: ToolCallEntity): object {
  const { id, messageId, chatId, round, name, state, result, durationMs, createdAt, endedAt } = call;
  return {
    id,
    message_id: messageId,
    chat_id: chatId,
    round,
    tool: name,
    arguments: call.arguments,
    edited: call.proposedArguments !== null,
    proposed_arguments: call.proposedArguments,
    state,
    result,
    duration_ms: durationMs,
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}

function toActionRow({
  id,
  callId,
  kind,
  state,
  question,
  decision,
  edited,
  reason,
  text,
  createdAt,
  decidedAt,
}: ToolActionEntity): object {
  return {
    id,
    call_id: callId,
    kind,
    state,
    question,
    decision,
    arguments: edited,
    edited: edited !== null,
    reason,
    text,
    created_at: createdAt.toISOString(),
    decided_at: decidedAt?.toISOString() ?? null,
  };
}

function toApprovalRow({ id, tool, scope, targetId, createdAt }: ToolApprovalEntity): object {
  return { id, tool, scope, ...targetsOf({ scope, targetId }), created_at: createdAt.toISOString() };
}

function toKeyRow({ key, createdAt }: IdempotencyKeyEntity): object {
  return { key, created_at: createdAt.toISOString() };
}
