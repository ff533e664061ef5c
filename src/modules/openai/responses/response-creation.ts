import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { whenGone } from '../../../common/http/when-gone';
import type { RequestContext } from '../../../common/security/request-context';
import type { ModelParameters } from '../../../integrations/llm/port/language-model-provider';
import { SentParameters } from '../../../integrations/llm/providers/sent-parameters';
import { AgentService } from '../../agent/agent.api';
import {
  type Answerer,
  Answerers,
  ConversationQuery,
  ConversationTurns,
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
import { OpenAiConfig } from '../openai.config';
import { IgnoredTools } from '../tools/ignored-tools';
import { EarlierCalls } from './request/earlier-calls';
import { InputReader } from './request/input-reader';
import { responseSettings, withSent } from './request/request-settings';
import { keptTools } from './request/request-tools';
import type { ResponseRequest } from './request/response-request-schema';
import { isCompaction, responseWishes } from './request/response-wishes';
import { ResponseStore } from './response.store';
import { type ResponsePlace, ResponsePlaces } from './response-place';
import { ResponseView } from './response-view';
import type { ResponseHead } from './wire/response-resource';
import type { ResponseSettings } from './wire/response-settings';

/** What a client asks for, and with which key for repetitions. */
export interface ResponseOrder {
  context: RequestContext;
  request: ResponseRequest;
  key: string | null;
  /** Tells repetitions of different routes apart; absent: that of responses. */
  route?: string;
}

/** A response that runs, or was begun by an earlier request. */
export interface StartedResponse {
  reply: LiveReply;
  head: ResponseHead;
  /** What its model is told, beside a stored conversation that goes on. */
  turns: readonly Turn[];
}

/** All that an exchange needs, read before it begins. */
interface Prepared {
  place: ResponsePlace | null;
  agent: Answerer;
  turns: Turn[];
  /** The same with what stands before a response of which nothing is kept: that is told, but its conversation does not grow. */
  told: readonly Turn[];
  wishes: ReplyWishes;
  settings: ResponseSettings;
}

/** What is known of a response once its exchange has begun; null: it has not, or an earlier request has. */
interface Begun {
  head: ResponseHead | null;
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
    private readonly calls: EarlierCalls,
    private readonly conversations: ConversationQuery,
    private readonly turns: ConversationTurns,
    private readonly exchanges: ExchangeService,
    private readonly streams: ReplyStreams,
    private readonly store: ResponseStore,
    private readonly view: ResponseView,
    private readonly clock: Clock,
    private readonly sent: SentParameters,
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
    exchange.response.json(this.view.resource(head, reply, context.language));
  }

  /** Begins it, and sets the headers of the answer. */
  async start(order: ResponseOrder, exchange: HttpExchange): Promise<StartedResponse> {
    const ignored = new IgnoredTools(this.config.OPENAI_UNKNOWN_TOOLS);
    const prepared = await this.prepare(order, ignored, whenGone(exchange.request));
    ignored.tell(exchange.response);
    return this.begin(order, prepared, exchange);
  }

  private async prepare(order: ResponseOrder, ignored: IgnoredTools, signal: AbortSignal): Promise<Prepared> {
    const { context, request } = order;
    const { userId, tier } = context.principal;
    const tools = keptTools(request.tools, ignored);
    const wishes = responseWishes(request, tools);
    const place = await this.places.find(userId, request);
    const agent = await this.agentFor(request, place, tier);
    const admit = (): Promise<void> =>
      this.exchanges.requireRoom({ sender: senderOf(context), repeatable: repeatableOf(order) }, request.store);
    if (isCompaction(request)) {
      // It takes no message from the quota, which would ask by itself.
      await admit();
    }
    const turns = await this.turnsOf(order, place, signal, admit);
    await this.calls.require(userId, request, turns, place);
    const sent = this.sentTo({ agent, wishes });
    const settings = responseSettings(request, request.model ?? agent.name, sent, tools);
    const before = request.store || place === null ? [] : await this.turnsBefore(place, agent);
    return { place, agent, turns, told: [...before, ...turns], wishes, settings };
  }

  /** What the model is sent, as far as it is known by now what it takes. */
  private sentTo({ agent, wishes }: Pick<Prepared, 'agent' | 'wishes'>): ModelParameters {
    return this.sent.of(agent, modelParameters(agent, wishes), wishes.tools.length > 0);
  }

  /** Of a conversation that is there, nothing needs to be said when it is only to be made shorter. */
  private turnsOf(
    { context, request }: ResponseOrder,
    place: ResponsePlace | null,
    signal: AbortSignal,
    admit: () => Promise<void>,
  ): Promise<Turn[]> {
    const { input } = request;
    return place !== null && isCompaction(request) && (input ?? []).length === 1
      ? Promise.resolve([{ role: 'user', content: '', parts: [] }])
      : this.inputs.turns(context.principal.userId, input, signal, admit);
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

  private async begin(order: ResponseOrder, prepared: Prepared, { response }: HttpExchange): Promise<StartedResponse> {
    const { principal } = order.context;
    const begun: Begun = { head: null };
    const request = this.toExchangeRequest(order, prepared, begun);
    const reply = await this.streams.begin(response, principal, this.exchanges.start(request));
    return { reply, head: begun.head ?? (await this.headOfRepeated(reply, prepared)), turns: prepared.told };
  }

  private toExchangeRequest(
    order: ResponseOrder,
    { place, agent, turns, told, wishes, settings }: Prepared,
    begun: Begun,
  ): ExchangeRequest {
    const { context, request } = order;
    const { store } = request;
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
      keptBytes: store ? Buffer.byteLength(JSON.stringify(settings)) : 0,
      keep: async (manager, stored) => {
        begun.head = { messageId: stored.messageId, chatId: stored.chatId, createdAt: stored.startedAt, settings };
        if (store) {
          await this.store.keep(manager, toRow(stored, { userId: context.principal.userId, place, turns, settings }));
        }
      },
      keepEnd: this.correctionOf(begun, { agent, wishes }),
    };
  }

  /** Asking may teach what a model does not take. It is held while the reply runs, so it must not hold the request. */
  private correctionOf(begun: Begun, asked: Pick<Prepared, 'agent' | 'wishes'>): ExchangeRequest['keepEnd'] {
    return async (manager) => {
      const { head } = begun;
      const settings = head && withSent(head.settings, this.sentTo(asked));
      if (head !== null && settings !== null && !isDeepStrictEqual(settings, head.settings)) {
        head.settings = settings;
        await this.store.change(manager, head.messageId, settings);
      }
    };
  }

  private async turnsBefore({ chatId, after }: ResponsePlace, agent: Answerer): Promise<Turn[]> {
    const [last] = await this.conversations.line(chatId, { from: null, isBackwards: true, limit: 1 });
    const end = after ?? last?.id;
    return end === undefined ? [] : this.turns.to(chatId, end, agent);
  }

  /** A repeated request has begun nothing. Of a response that is not stored, only the id tells that it is the same. */
  private async headOfRepeated(reply: LiveReply, { settings }: Prepared): Promise<ResponseHead> {
    const { messageId, chatId } = reply;
    return (await this.store.headOf(messageId)) ?? { messageId, chatId, createdAt: this.clock.now(), settings };
  }
}

function repeatableOf({ context, request, key, route }: ResponseOrder): ExchangeRequest['repeatable'] {
  return { userId: context.principal.userId, key, route: route ?? 'POST /openai/v1/responses', body: request };
}

function toRow(
  { chatId, userMessageId, messageId, startedAt }: StoredExchange,
  { userId, place, turns, settings }: Omit<Prepared, 'agent' | 'told' | 'wishes'> & { userId: number },
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
