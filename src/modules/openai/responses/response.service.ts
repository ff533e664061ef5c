import { Injectable } from '@nestjs/common';
import { sendJson } from '../../../common/http/send-json';
import type { RequestContext } from '../../../common/security/request-context';
import { ChatReplyPlace, ChatService, ConversationQuery } from '../../chat/chat.api';
import {
  CallerRights,
  type HttpExchange,
  IdempotencyService,
  type LiveReply,
  type RepeatableRequest,
  ReplyStopper,
  ReplyStreams,
} from '../../generation/generation.api';
import { type ItemListDto, toItemPage } from '../conversations/item-list';
import type { ItemListQueryDto } from '../conversations/item-list-query.dto';
import { ItemPages } from '../conversations/item-pages';
import { INCLUDED_RESULTS, type Inclusion } from '../included.decorator';
import { OPENAI_SCOPE } from '../openai-prefix';
import type { DeletedResponseDto } from './response.dto';
import { NotInBackgroundError, ResponseNotFoundError } from './response.errors';
import { ResponseStore, type StoredResponse, toHead } from './response.store';
import type { ResponseQueryDto } from './response-query.dto';
import { ResponseView } from './response-view';
import { endedPart } from './wire/response-part';
import type { ResponseResource } from './wire/response-resource';

/** Operations on stored responses. `response-creation.ts` creates them. */
@Injectable()
export class ResponseService {
  constructor(
    private readonly store: ResponseStore,
    private readonly view: ResponseView,
    private readonly replies: ChatReplyPlace,
    private readonly stopper: ReplyStopper,
    private readonly streams: ReplyStreams,
    private readonly chats: ChatService,
    private readonly conversations: ConversationQuery,
    private readonly pages: ItemPages,
    private readonly idempotency: IdempotencyService,
    private readonly rights: CallerRights,
  ) {}

  /**
   * Sends the response in its current state, or its events.
   *
   * @throws ResponseNotFoundError
   */
  async answer(
    context: RequestContext,
    id: string,
    query: ResponseQueryDto & { included: Inclusion },
    exchange: HttpExchange,
  ): Promise<void> {
    const hasResults = query.included.has(INCLUDED_RESULTS);
    if (query.stream) {
      await this.join(context, id, { startingAfter: query.starting_after ?? -1, hasResults }, exchange);
    } else {
      sendJson(exchange.response, await this.read(context, id, hasResults));
    }
  }

  private async read(
    { principal, language }: RequestContext,
    id: string,
    hasResults = false,
  ): Promise<ResponseResource> {
    const found = await this.find(principal.userId, id);
    return this.view.resource({ ...toHead(found), hasResults }, await this.replyOf(found), language);
  }

  /** Sends the events after `startingAfter`, while the response runs and after its end. */
  private async join(
    { principal, language }: RequestContext,
    id: string,
    { startingAfter, hasResults }: { startingAfter: number; hasResults: boolean },
    exchange: HttpExchange,
  ): Promise<void> {
    const found = await this.find(principal.userId, id);
    const writer = this.view.events({ ...toHead(found), hasResults }, language, exchange.request, {
      startingAfter,
      refusal: () => this.rights.refusalOf(principal, OPENAI_SCOPE),
    });
    await this.streams.join(exchange, await this.replyOf(found), writer, OPENAI_SCOPE);
  }

  /** Stops a background response and waits until its end is stored. An ended response does not change. */
  async cancel(
    context: RequestContext,
    id: string,
    { key, body = null }: Pick<RepeatableRequest, 'key' | 'body'>,
  ): Promise<ResponseResource> {
    const { userId } = context.principal;
    const { row, message, part } = await this.find(userId, id);
    if (!row.settings.background) {
      throw new NotInBackgroundError();
    }
    const request = { userId, key, route: `POST /openai/v1/responses/${id}/cancel`, body };
    const cancel = async (): Promise<void> => {
      if (message.status === 'streaming' && part.last === null) {
        await this.stopper.stop(row.id);
      }
      const result = { chatId: row.chatId, userMessageId: null, messageId: null };
      await this.idempotency.keepAlone(request, result);
    };
    await this.idempotency.once(request, cancel, () => Promise.resolve());
    return this.read(context, id);
  }

  /**
   * Deletes a response. Its messages stay in the conversation. A conversation that was created for responses moves to
   * the trash with its last response, unless a client has named it or it has a plain reply.
   *
   * @throws ResponseNotFoundError
   */
  async delete(userId: number, id: string): Promise<DeletedResponseDto> {
    const found = await this.find(userId, id);
    const { row, message, part } = found;
    if (await this.store.delete(found)) {
      await this.chats.remove(userId, row.chatId);
    } else if (message.status === 'streaming' && part.last === null) {
      await this.stopper.request(row.id);
    }
    return { id, object: 'response', deleted: true };
  }

  /** @throws ResponseNotFoundError, ItemNotFoundError for an unknown `after` */
  async inputItems(userId: number, id: string, query: ItemListQueryDto, included: Inclusion): Promise<ItemListDto> {
    const { row, continuation } = await this.find(userId, id);
    if (continuation !== null) {
      return toItemPage(continuation.input, query);
    }
    const input = { chatId: row.chatId, lastId: row.questionId, count: row.turnCount };
    return this.pages.read((part, bytes) => this.conversations.cutStored(input, part, bytes), query, included);
  }

  private async find(userId: number, id: string): Promise<StoredResponse> {
    const found = await this.store.find(userId, id);
    if (found === null) {
      throw new ResponseNotFoundError(id);
    }
    return found;
  }

  private async replyOf({ message, part }: StoredResponse): Promise<LiveReply> {
    return endedPart(await this.replies.liveReply(message), part);
  }
}
