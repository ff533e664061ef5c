import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { sendJson } from '../../../common/http/send-json';
import { whenGone } from '../../../common/http/when-gone';
import { type ExchangeRequest, ExchangeService, type StoredExchange } from '../../chat/chat.api';
import {
  type Generation,
  Generations,
  type HttpExchange,
  type LiveReply,
  ReplyStreams,
  senderOf,
  type Turn,
} from '../../generation/generation.api';
import { OpenAiConfig } from '../openai.config';
import { IgnoredTools } from '../tools/ignored-tools';
import { withSent } from './request/request-settings';
import { ResponseStore } from './response.store';
import { type PreparedResponse, repeatableOf, type ResponseOrder, ResponsePreparation } from './response-preparation';
import { ResponseView } from './response-view';
import type { ResponseHead } from './wire/response-resource';

/** A response that runs, or was begun by an earlier request. */
export interface StartedResponse {
  reply: LiveReply;
  head: ResponseHead;
  /** What its model is told, beside a stored conversation that goes on. */
  turns: readonly Turn[];
}

/** What is known of a response once its exchange has begun; null: it has not, or an earlier request has. */
interface Begun {
  head: ResponseHead | null;
}

/** Makes responses: begins the exchange, and answers as the client wants it. */
@Injectable()
export class ResponseCreation {
  constructor(
    private readonly preparation: ResponsePreparation,
    private readonly exchanges: ExchangeService,
    private readonly generations: Generations,
    private readonly streams: ReplyStreams,
    private readonly store: ResponseStore,
    private readonly view: ResponseView,
    private readonly clock: Clock,
    private readonly config: OpenAiConfig,
  ) {}

  /** Answers with the response: streamed, at once when it runs in the background, or when it has ended. */
  async answer(order: ResponseOrder, exchange: HttpExchange): Promise<void> {
    const { context, request } = order;
    const { reply, head } = await this.start(order, exchange);
    if (request.stream) {
      await this.streams.stream(exchange, reply, this.view.events(head, context.language));
      return;
    }
    if (!request.background) {
      await this.streams.wait(exchange, reply);
    }
    sendJson(exchange.response, this.view.resource(head, reply, context.language));
  }

  /** Begins it, and sets the headers of the answer. */
  async start(order: ResponseOrder, exchange: HttpExchange): Promise<StartedResponse> {
    const ignored = new IgnoredTools(this.config.OPENAI_UNKNOWN_TOOLS);
    const prepared = await this.preparation.prepare(order, ignored, whenGone(exchange.request));
    ignored.tell(exchange.response);
    return this.begin(order, prepared, exchange);
  }

  private async begin(
    order: ResponseOrder,
    prepared: PreparedResponse,
    { response }: HttpExchange,
  ): Promise<StartedResponse> {
    const { principal } = order.context;
    const begun: Begun = { head: null };
    const started = order.request.store
      ? this.exchanges.start(this.toExchangeRequest(order, prepared, begun))
      : this.generations.start(this.toGeneration(order, prepared, begun));
    const reply = await this.streams.begin(response, principal, started);
    return { reply, head: begun.head ?? (await this.headOfRepeated(reply, prepared)), turns: prepared.told };
  }

  /** What is kept as a conversation. */
  private toExchangeRequest(
    order: ResponseOrder,
    { place, agent, turns, options, settings }: PreparedResponse,
    begun: Begun,
  ): ExchangeRequest {
    const { context } = order;
    const { userId } = context.principal;
    return {
      sender: senderOf(context),
      chatId: place?.chatId ?? { agent, language: context.language },
      agent,
      subject: { kind: 'turns', turns, after: place?.after ?? null },
      language: null,
      endsWithReaders: false,
      endsUnread: false,
      repeatable: repeatableOf(order),
      options,
      keptBytes: Buffer.byteLength(JSON.stringify(settings)),
      keep: async (manager, stored) => {
        begun.head = { messageId: stored.messageId, chatId: stored.chatId, createdAt: stored.startedAt, settings };
        await this.store.keep(manager, toRow(stored, { userId, place, turns, settings }));
      },
      keepEnd: this.correctionOf(begun, { agent, options }),
    };
  }

  /** What the client keeps by itself. */
  private toGeneration(
    order: ResponseOrder,
    { agent, told, options, settings }: PreparedResponse,
    begun: Begun,
  ): Generation {
    return {
      sender: senderOf(order.context),
      agent,
      turns: told,
      options,
      repeatable: repeatableOf(order),
      onBegin: ({ id: messageId, createdAt }) => {
        begun.head = { messageId, chatId: 0, createdAt, settings };
      },
      keepEnd: this.correctionOf(begun, { agent, options }),
    };
  }

  /** Asking may teach what a model does not take. It is held while the reply runs, so it must not hold the request. */
  private correctionOf(begun: Begun, asked: Pick<PreparedResponse, 'agent' | 'options'>): ExchangeRequest['keepEnd'] {
    return async (manager) => {
      const { head } = begun;
      const settings = head && withSent(head.settings, this.preparation.sentTo(asked));
      if (head !== null && settings !== null && !isDeepStrictEqual(settings, head.settings)) {
        head.settings = settings;
        await this.store.change(manager, head.messageId, settings);
      }
    };
  }

  /** A repeated request has begun nothing. Of a response that is not stored, only the id tells that it is the same. */
  private async headOfRepeated(reply: LiveReply, { settings }: PreparedResponse): Promise<ResponseHead> {
    const { messageId, chatId } = reply;
    return (await this.store.headOf(messageId)) ?? { messageId, chatId, createdAt: this.clock.now(), settings };
  }
}

function toRow(
  { chatId, userMessageId, messageId, startedAt }: StoredExchange,
  { userId, place, turns, settings }: Omit<PreparedResponse, 'agent' | 'told' | 'options'> & { userId: number },
): Parameters<ResponseStore['keep']>[1] {
  return {
    id: messageId,
    userId,
    chatId,
    questionId: userMessageId,
    turnCount: turns.length,
    isInConversation: place?.isInConversation ?? false,
    settings,
    createdAt: startedAt,
  };
}
