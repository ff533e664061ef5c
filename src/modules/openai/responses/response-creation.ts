import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { whenGone } from '../../../common/http/when-gone';
import type { RequestContext } from '../../../common/security/request-context';
import { SentParameters } from '../../../integrations/llm/sent-parameters';
import { AgentService } from '../../agent/agent.api';
import {
  type Answerer,
  Answerers,
  ConversationQuery,
  type ExchangeRequest,
  ExchangeService,
  type HttpExchange,
  type LiveReply,
  modelParameters,
  ReplyStreams,
  type ReplyWishes,
  senderOf,
  type StoredExchange,
  type Turn,
} from '../../chat/chat.api';
import { ModelResolver } from '../model-resolver';
import { InputReader } from './request/input-reader';
import { responseSettings } from './request/request-settings';
import type { ResponseRequest } from './request/response-request-schema';
import { responseWishes } from './request/response-wishes';
import { unknownResults } from './request/unknown-results';
import { ResponseStore } from './response.store';
import { type ResponsePlace, ResponsePlaces } from './response-place';
import { ResponseView } from './response-view';
import type { ResponseHead } from './wire/response-resource';
import type { ResponseSettings } from './wire/response-settings';

/** How many messages at the end of a conversation may hold the calls of one round and their results. */
const MOST_MESSAGES_OF_A_ROUND = 50;

/** What a client asks for, and with which key for repetitions. */
export interface ResponseOrder {
  context: RequestContext;
  request: ResponseRequest;
  key: string | null;
}

/** All that an exchange needs, read before it begins. */
interface Prepared {
  place: ResponsePlace | null;
  agent: Answerer;
  turns: Turn[];
  wishes: ReplyWishes;
  settings: ResponseSettings;
}

/** Makes responses: begins the exchange, and answers as the client wants it. */
@Injectable()
export class ResponseCreation {
  constructor(
    private readonly places: ResponsePlaces,
    private readonly models: ModelResolver,
    private readonly agents: AgentService,
    private readonly answerers: Answerers,
    private readonly inputs: InputReader,
    private readonly conversations: ConversationQuery,
    private readonly exchanges: ExchangeService,
    private readonly streams: ReplyStreams,
    private readonly store: ResponseStore,
    private readonly view: ResponseView,
    private readonly clock: Clock,
    private readonly sent: SentParameters,
  ) {}

  /** Answers with the response: streamed, at once when it runs in the background, or when it has ended. */
  async answer(order: ResponseOrder, exchange: HttpExchange): Promise<void> {
    const { context, request } = order;
    const prepared = await this.prepare(order, whenGone(exchange.request));
    const { reply, head } = await this.begin(order, prepared, exchange);
    if (request.stream) {
      await this.streams.stream(exchange, reply, this.view.events(head, context.language));
      return;
    }
    if (!request.background) {
      await this.streams.wait(exchange, reply);
    }
    exchange.response.json(this.view.resource(head, reply, context.language));
  }

  private async prepare(order: ResponseOrder, signal: AbortSignal): Promise<Prepared> {
    const { context, request } = order;
    const { userId, tier } = context.principal;
    const wishes = responseWishes(request);
    const place = await this.places.find(userId, request);
    const agent = await this.agentFor(request, place, tier);
    const turns = await this.inputs.turns(userId, request.input, signal, () =>
      this.exchanges.requireRoom({ sender: senderOf(context), repeatable: repeatableOf(order) }),
    );
    await this.requireCalls(userId, request, turns, place);
    return { place, agent, turns, wishes, settings: this.settings(request, agent, wishes) };
  }

  /** As they are with what is known of the model by now. */
  private settings(request: ResponseRequest, agent: Answerer, wishes: ReplyWishes): ResponseSettings {
    const sent = this.sent.of(agent, modelParameters(agent, wishes), wishes.tools.length > 0);
    return responseSettings(request, request.model ?? agent.name, sent);
  }

  /** Each result of a function needs its call, in the request or before it. @throws InvalidParameterError */
  private async requireCalls(
    userId: number,
    { input }: ResponseRequest,
    turns: readonly Turn[],
    place: ResponsePlace | null,
  ): Promise<void> {
    const isComplete = unknownResults(turns).length === 0;
    const known = isComplete || place === null ? [] : await this.callsBefore(userId, place);
    const [unknown] = unknownResults(turns, known);
    if (unknown !== undefined) {
      const items = Array.isArray(input) ? input : [];
      const index = items.findIndex((item) => 'call_id' in item && item.call_id === unknown);
      throw new InvalidParameterError([{ field: `input[${index}].call_id`, reason: 'conflicts' }]);
    }
  }

  private async callsBefore(userId: number, { chatId, after }: ResponsePlace): Promise<string[]> {
    const messages =
      after === null
        ? await this.conversations.line(chatId, { from: null, isBackwards: true, limit: MOST_MESSAGES_OF_A_ROUND })
        : await this.conversations.find(userId, [after]);
    const parts = messages.flatMap((message) => message.parts ?? []);
    return parts.flatMap((part) => (part.type === 'tool_call' ? part.id : []));
  }

  /** Without a model, whoever answered what is continued goes on. */
  private async agentFor(
    { model }: ResponseRequest,
    place: ResponsePlace | null,
    tier: RequestContext['principal']['tier'],
  ): Promise<Answerer> {
    if (typeof model === 'string') {
      return this.models.resolve(model, tier);
    }
    if (place === null) {
      throw new InvalidParameterError([{ field: 'model', reason: 'required' }]);
    }
    return (await this.answerers.resolve(place.answerer, tier)) ?? this.agents.resolveForSending(place.agentId, tier);
  }

  private async begin(
    order: ResponseOrder,
    prepared: Prepared,
    { response }: HttpExchange,
  ): Promise<{ reply: LiveReply; head: ResponseHead }> {
    const { principal } = order.context;
    const begun: { head: ResponseHead | null } = { head: null };
    const request = await this.toExchangeRequest(order, prepared, (head) => (begun.head = head));
    const reply = await this.streams.begin(response, principal, this.exchanges.start(request));
    return { reply, head: begun.head ?? (await this.headOfRepeated(reply, prepared)) };
  }

  private async toExchangeRequest(
    order: ResponseOrder,
    { place, agent, turns, wishes, settings }: Prepared,
    onBegun: (head: ResponseHead) => void,
  ): Promise<ExchangeRequest> {
    const { context, request } = order;
    const { store } = request;
    let head: ResponseHead | null = null;
    const told = store || place === null ? turns : [...(await this.turnsBefore(place)), ...turns];
    return {
      sender: senderOf(context),
      chatId: store && place !== null ? place.chatId : { agent, isKept: store, language: context.language },
      agent,
      subject: { kind: 'turns', turns: told, after: store ? (place?.after ?? null) : null },
      language: null,
      endsWithReaders: !store,
      endsUnread: false,
      repeatable: repeatableOf(order),
      wishes,
      keep: async (manager, stored) => {
        head = { messageId: stored.messageId, chatId: stored.chatId, createdAt: stored.startedAt, settings };
        onBegun(head);
        if (store) {
          await this.store.keep(manager, toRow(stored, { userId: context.principal.userId, place, turns, settings }));
        }
      },
      keepEnd: async (manager) => {
        const present = this.settings(request, agent, wishes);
        if (head !== null && !isDeepStrictEqual(present, settings)) {
          head.settings = present;
          await this.store.change(manager, head.messageId, present);
        }
      },
    };
  }

  /** What stands before a response of which nothing is kept: it is told, but the conversation does not grow. */
  private async turnsBefore({ chatId, after }: ResponsePlace): Promise<Turn[]> {
    const [last] = await this.conversations.line(chatId, { from: null, isBackwards: true, limit: 1 });
    const end = after ?? last?.id;
    return end === undefined ? [] : this.conversations.turnsTo(chatId, end);
  }

  /** A repeated request has begun nothing. Of a response that is not stored, only the id tells that it is the same. */
  private async headOfRepeated(reply: LiveReply, { settings }: Prepared): Promise<ResponseHead> {
    const { messageId, chatId } = reply;
    return (await this.store.headOf(messageId)) ?? { messageId, chatId, createdAt: this.clock.now(), settings };
  }
}

function repeatableOf({ context, request, key }: ResponseOrder): ExchangeRequest['repeatable'] {
  return { userId: context.principal.userId, key, route: 'POST /openai/v1/responses', body: request };
}

function toRow(
  { chatId, userMessageId, messageId, startedAt }: StoredExchange,
  { userId, place, turns, settings }: Pick<Prepared, 'place' | 'turns' | 'settings'> & { userId: number },
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
