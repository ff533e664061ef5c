import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../../../common/lifecycle';
import type { Requester } from '../../../common/security/principal';
import { MessageNotFoundError } from '../chat.errors';
import { ChatReadService } from '../chat-read.service';
import type { EditMessageDto } from '../dto/edit-message.dto';
import type { ReplyOptionsDto } from '../dto/reply-options.dto';
import type { SendMessageDto } from '../dto/send-message.dto';
import { ReplyLocator } from '../reply/elsewhere/reply-locator';
import type { ReplyAnswer } from '../reply/reading/reply-answer';
import { ExchangeRequest, ExchangeService } from './exchange.service';
import { IdempotencyService, RequestResult } from './idempotency.service';
import type { UiPage } from './ui-page';
import { UiPageMessages } from './ui-page-messages';

/** How a request came, beside its body. */
export interface SendingRequest {
  /** The header `Idempotency-Key`. */
  key: string | null;
  /** What a page of the AI SDK shows; null for other clients. */
  page: UiPage | null;
  /** Whether a reply that nobody reads any more gives way, as pages of the AI SDK need it. */
  endsUnread: boolean;
}

/** A message that is sent, worded anew or answered anew. */
type Wish = Omit<ExchangeRequest, 'endsUnread'>;

/** Takes messages and wishes for other versions of them, each once. */
@Injectable()
export class SendService {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly reading: ChatReadService,
    private readonly idempotency: IdempotencyService,
    private readonly exchanges: ExchangeService,
    private readonly pageMessages: UiPageMessages,
    private readonly locator: ReplyLocator,
  ) {}

  /** @throws ChatNotFoundError, MessageNotFoundError, GenerationInProgressError, IdempotencyConflictError */
  send(principal: Requester, message: SendMessageDto, request: SendingRequest): Promise<ReplyAnswer> {
    const { chat_id, content, lang = null, on_disconnect = 'continue', trigger, message_id = null } = message;
    const names = trigger !== undefined && (trigger === 'regenerate-message' || message_id !== null);
    const body = { chat_id, content, lang, on_disconnect, ...(names && { trigger, message_id }) };
    return this.once(principal, request, 'POST /chat/message', body, async () => {
      const wish: Wish = { chatId: chat_id, content, messageId: null, options: message };
      switch (trigger) {
        case 'regenerate-message':
          return { ...wish, ...(await this.pageMessages.toAnswerAnew(chat_id, message_id, content, request.page)) };
        case 'submit-message':
          return { ...wish, messageId: await this.pageMessages.toWordAnew(chat_id, message_id, request.page) };
        default:
          return wish;
      }
    });
  }

  /** Gives a message of the user another wording. @throws as `send` */
  edit(
    principal: Requester,
    chatId: number,
    messageId: number,
    message: EditMessageDto,
    request: SendingRequest,
  ): Promise<ReplyAnswer> {
    const { content, lang = null, on_disconnect = 'continue' } = message;
    const route = `PUT /chat/${chatId}/messages/${messageId}`;
    const wish: Wish = { chatId, content, messageId, options: message };
    return this.once(principal, request, route, { content, lang, on_disconnect }, () => Promise.resolve(wish));
  }

  /** Answers a message anew. @param messageId the user's, or the reply to it. @throws as `send` */
  regenerate(
    principal: Requester,
    chatId: number,
    messageId: number,
    options: ReplyOptionsDto,
    request: SendingRequest,
  ): Promise<ReplyAnswer> {
    const { lang = null, on_disconnect = 'continue' } = options;
    const route = `POST /chat/${chatId}/messages/${messageId}/regenerate`;
    const wish: Wish = { chatId, content: null, messageId, options };
    return this.once(principal, request, route, { lang, on_disconnect }, () => Promise.resolve(wish));
  }

  private once(
    principal: Requester,
    { key, endsUnread }: SendingRequest,
    route: string,
    body: object,
    toWish: () => Promise<Wish>,
  ): Promise<ReplyAnswer> {
    this.lifecycle.assertAcceptsWork();
    return this.idempotency.once(
      { userId: principal.userId, key, route, body },
      async (keep) => this.exchanges.begin(principal, { ...(await toWish()), endsUnread }, keep),
      (result) => this.repeat(principal, result),
    );
  }

  /** @throws ChatNotFoundError when the conversation was deleted meanwhile. */
  private async repeat({ userId }: Requester, result: RequestResult): Promise<ReplyAnswer> {
    await this.reading.get(userId, result.chatId);
    const reply = result.messageId === null ? null : await this.locator.find(result.messageId);
    if (reply === null) {
      throw new MessageNotFoundError();
    }
    return { reply, quota: null };
  }
}
