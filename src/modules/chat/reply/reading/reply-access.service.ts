import { Injectable } from '@nestjs/common';
import type { Language } from '../../../../common/i18n/language';
import { translate } from '../../../../common/i18n/translator';
import type { Principal } from '../../../../common/security/principal';
import { ChatReadService } from '../../chat-read.service';
import type { JoinReplyQueryDto } from '../../dto/join-reply-query.dto';
import type { StoppedReplyDto } from '../../dto/stopped-reply.dto';
import type { StreamTicketDto } from '../../dto/stream-ticket.dto';
import type { ChatEntity } from '../../entities/chat.entity';
import { MessageService } from '../../message.service';
import { ReplyLocator } from '../elsewhere/reply-locator';
import { ReplyStopper } from '../elsewhere/reply-stopper';
import type { LiveReply } from '../live-reply';
import { HttpExchange, ReplyResponder } from './reply-responder';
import { lastEventOf, streamFormatOf } from './stream-format';
import { StreamTickets } from './stream-tickets';

/** What users do with a reply that is being written: join it, or stop it. */
@Injectable()
export class ReplyAccessService {
  constructor(
    private readonly reading: ChatReadService,
    private readonly messages: MessageService,
    private readonly locator: ReplyLocator,
    private readonly stopper: ReplyStopper,
    private readonly responder: ReplyResponder,
    private readonly tickets: StreamTickets,
  ) {}

  /** @throws ChatNotFoundError */
  async stop(userId: number, chatId: number, language: Language): Promise<StoppedReplyDto> {
    const { activeMessageId } = await this.reading.get(userId, chatId);
    if (activeMessageId === null) {
      return { message: translate(language, 'messages.no_reply_running'), message_id: null };
    }
    await this.stopper.stop(activeMessageId);
    // It may have come to its own end meanwhile.
    const isStopped = await this.messages.isStopped(activeMessageId);
    const key = isStopped ? 'messages.reply_stopped' : 'messages.reply_ended';
    return { message: translate(language, key), message_id: activeMessageId };
  }

  /** @throws ChatNotFoundError */
  async issueTicket(principal: Principal, chatId: number): Promise<StreamTicketDto> {
    await this.reading.get(principal.userId, chatId);
    return this.tickets.issue(principal, chatId);
  }

  /** @throws ChatNotFoundError, TicketInvalidError */
  async join(userId: number, chatId: number, query: JoinReplyQueryDto, exchange: HttpExchange): Promise<void> {
    const chat = await this.reading.get(userId, chatId);
    const { request, response } = exchange;
    const last = lastEventOf(request);
    if (last?.isEnd) {
      // A browser comes back by itself when a stream has ended, and this is how it learns not to. A ticket is used up then.
      response.status(204).end();
      return;
    }
    await this.tickets.use(request);
    const offset = last?.offset ?? query.offset;
    const reply = await this.findReply(chat, offset);
    if (reply === null) {
      response.status(204).end();
      return;
    }
    const format = streamFormatOf(request, { stream: true }, query) ?? 'text';
    await this.responder.join(exchange, format, reply, offset);
  }

  /** The running reply, or the last one when the client tells how much of it it has, and that is not all. */
  private async findReply(chat: ChatEntity, offset: number | undefined): Promise<LiveReply | null> {
    const running = chat.activeMessageId === null ? null : await this.locator.find(chat.activeMessageId);
    if (running !== null || offset === undefined) {
      return running;
    }
    const last = await this.messages.findLastReply(chat);
    const reply = last && (await this.locator.of(last));
    return reply !== null && isMissing(reply, offset) ? reply : null;
  }
}

/** Who has the text of a reply that was cut off does not know so: how it ended is missing, and perhaps what is not kept. */
function isMissing({ end, text }: LiveReply, offset: number): boolean {
  return end?.status !== 'completed' || text.length > offset;
}
