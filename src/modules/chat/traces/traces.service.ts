import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import {
  ReplyRegistry,
  ReplySpans,
  type ShownTraces,
  type StoredRequest,
  type ToolTime,
  ToolTimes,
} from '../../generation/generation.api';
import { type GuardCheck, GuardTraces } from '../../guard/guard.api';
import { ChatReadService } from '../chats/chat-read.service';
import { MessageNotFoundError } from '../conversations/chat.errors';
import { MessageEntity } from '../conversations/message.entity';
import { ChatContentQuery } from '../messages/chat-content.query';

/** The columns of a reply that a trace needs, without texts. */
const MEMBERS = [
  'id',
  'chatId',
  'status',
  'finishReason',
  'failure',
  'tokenUsage',
  'createdAt',
  'completedAt',
  'firstTokenMs',
  'durationMs',
  'trace',
  'spans',
] as const;

/** A reply with its requests and tool calls. */
export interface TracedReply {
  reply: Readonly<Pick<MessageEntity, (typeof MEMBERS)[number]>>;
  chat: { userId: number; agentId: number };
  requests: readonly StoredRequest[];
  tools: readonly ToolTime[];
  guards: readonly GuardCheck[];
  traces: ShownTraces;
  /** For administrators. */
  traceUrl: string | null;
}

/** Reads traces of replies: the models called, their errors, and durations. */
@Injectable()
export class Traces {
  constructor(
    private readonly database: Database,
    private readonly chats: ChatReadService,
    private readonly allChats: ChatContentQuery,
    private readonly tools: ToolTimes,
    private readonly running: ReplyRegistry,
    private readonly guards: GuardTraces,
    private readonly spans: ReplySpans,
  ) {}

  /** @throws ChatNotFoundError, MessageNotFoundError also if the message is not a reply */
  async ofOwner(userId: number, chatId: number, messageId: number): Promise<TracedReply> {
    const chat = await this.chats.get(userId, chatId);
    const reply = await this.reply({ id: messageId, chatId });
    return this.traced(reply, chat);
  }

  /**
   * A reply of any user.
   *
   * @throws MessageNotFoundError also if the message is not a reply or is in the trash
   */
  async ofAnybody(messageId: number): Promise<TracedReply> {
    const reply = await this.reply({ id: messageId });
    const chat = await this.allChats.find(reply.chatId);
    if (chat === null) {
      throw new MessageNotFoundError();
    }
    return this.traced(reply, chat);
  }

  private async reply(where: { id: number; chatId?: number }): Promise<TracedReply['reply']> {
    const { manager } = this.database;
    const found = await findRow(manager, MessageEntity, { ...where, role: 'assistant' }, { members: MEMBERS });
    if (found === null) {
      throw new MessageNotFoundError();
    }
    return found;
  }

  private async traced(reply: TracedReply['reply'], chat: TracedReply['chat']): Promise<TracedReply> {
    const running = this.running.get(reply.id);
    const requests = running?.storedRequests ?? reply.trace ?? [];
    const guards = [...(await this.guards.of(reply.id)), ...(running?.guardChecks ?? [])];
    const traces = this.spans.shown(reply.spans);
    const traceUrl = this.spans.urlOf(traces);
    const tools = await this.tools.ofReply(reply.id);
    // A retention policy has removed the requests, and the times of the calls.
    const isRemoved = reply.completedAt !== null && reply.trace === null && tools.every(({ endedAt }) => !endedAt);
    return { reply, chat, requests, tools: isRemoved ? [] : tools, guards, traces, traceUrl };
  }
}
