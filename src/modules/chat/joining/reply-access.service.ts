import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/security/principal';
import { type StreamTicketDto, StreamTickets } from '../../api-key/api-key.api';
import {
  type HttpExchange,
  type LiveReply,
  ReplyLocator,
  ReplyStopper,
  WaitingReplies,
} from '../../generation/generation.api';
import { ChatReadService } from '../chats/chat-read.service';
import type { ReadChat } from '../conversations/chat-queries';
import { MessageService } from '../messages/message.service';
import type { StreamFormat } from '../reading/reply-query.dto';
import { ReplyResponder } from '../reading/reply-responder';
import { lastEventOf, streamFormatOf } from '../reading/stream-format';
import { ChatReplyPlace } from '../sending/chat-reply-place';
import type { JoinReplyQueryDto } from './join-reply-query.dto';

/**
 * Joins and stops running replies, and issues tickets to read them. `ReplyController` has the routes; `reading/` writes
 * a reply to a response.
 */
@Injectable()
export class ReplyAccessService {
  constructor(
    private readonly reading: ChatReadService,
    private readonly messages: MessageService,
    private readonly locator: ReplyLocator,
    private readonly place: ChatReplyPlace,
    private readonly stopper: ReplyStopper,
    private readonly responder: ReplyResponder,
    private readonly tickets: StreamTickets,
    private readonly waitingReplies: WaitingReplies,
  ) {}

  /**
   * Stops the running or waiting reply, and returns once its end is stored.
   *
   * @returns null if no reply was running; `isStopped` is false if the reply ended before the stop
   * @throws ChatNotFoundError
   */
  async stop(userId: number, chatId: number): Promise<{ messageId: number; isStopped: boolean } | null> {
    const { activeMessageId, lineEndId } = await this.reading.get(userId, chatId);
    if (activeMessageId === null && lineEndId !== null && (await this.waitingReplies.end(lineEndId, 'stopped'))) {
      return { messageId: lineEndId, isStopped: true };
    }
    const messageId = activeMessageId ?? (await this.reading.get(userId, chatId)).activeMessageId;
    // If none was running, an approval may have continued the waiting reply since the first read. A new reply must not
    // be stopped.
    if (messageId === null || (activeMessageId === null && messageId !== lineEndId)) {
      return null;
    }
    await this.stopper.stop(messageId);
    return { messageId, isStopped: await this.messages.isStopped(messageId) };
  }

  /** @throws ChatNotFoundError */
  async issueTicket(principal: Principal, chatId: number): Promise<StreamTicketDto> {
    await this.reading.get(principal.userId, chatId);
    return this.tickets.issue(principal, { chat: chatId });
  }

  /** @throws ChatNotFoundError, TicketInvalidError */
  async join(userId: number, chatId: number, query: JoinReplyQueryDto, exchange: HttpExchange): Promise<void> {
    const chat = await this.reading.get(userId, chatId);
    const { request, response } = exchange;
    const last = lastEventOf(request);
    if (last?.isEnd) {
      // A browser reopens a stream that has ended. 204 prevents that. The ticket is already used, so it is not checked
      // again.
      response.status(204).end();
      return;
    }
    await this.tickets.use(request);
    const offset = last?.offset ?? query.offset;
    const format = streamFormatOf(request, { stream: true }, query) ?? 'text';
    const reply = await this.findReply(chat, offset, format, last !== undefined);
    if (reply === null) {
      response.status(204).end();
      return;
    }
    const thought = last === undefined ? query.reasoning_offset : undefined;
    await this.responder.join(exchange, format, reply, { offset: offset ?? 0, news: null, thought });
  }

  /**
   * The running reply. If there is none: the last reply, if the client sends its offset and something is missing.
   *
   * @param lacksEnd whether the client's last event is not the end
   */
  private async findReply(
    chat: ReadChat,
    offset: number | undefined,
    format: StreamFormat,
    lacksEnd: boolean,
  ): Promise<LiveReply | null> {
    const running = chat.activeMessageId === null ? null : await this.locator.find(chat.activeMessageId);
    if (running !== null || offset === undefined) {
      return running;
    }
    const last = await this.messages.findLastReply(chat);
    const reply = last && (await this.place.liveReply(last));
    return reply !== null && (lacksEnd || isMissing(reply, offset, format)) ? reply : null;
  }
}

/**
 * A client that has all the text of a cut-off reply still needs to learn how the reply ended. In a format with function
 * calls, the calls after the text may be missing too.
 */
function isMissing({ end, text, toolCalls }: LiveReply, offset: number, format: StreamFormat): boolean {
  const hasCalls = format === 'ui_message' && toolCalls.length > 0;
  return end?.status !== 'completed' || text.length > offset || hasCalls;
}
