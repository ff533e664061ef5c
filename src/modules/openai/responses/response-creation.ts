import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { ApiError } from '../../../common/errors/api-error';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';
import { sendJson } from '../../../common/http/send-json';
import { whenGone } from '../../../common/http/when-gone';
import { type ExchangeRequest, ExchangeService, type StoredExchange } from '../../chat/chat.api';
import {
  accompany,
  CallerRights,
  Generations,
  type HttpExchange,
  listNames,
  type LiveReply,
  ReplyStreams,
  senderOf,
  type StatelessRequest,
  type Turn,
  untilStored,
  WITHHELD_TOOLS,
} from '../../generation/generation.api';
import { INCLUDED_RESULTS } from '../included.decorator';
import { OpenAiConfig } from '../openai.config';
import { OPENAI_SCOPE } from '../openai-prefix';
import { hasReplies } from '../tools/acting-tools';
import { IgnoredTools } from '../tools/ignored-tools';
import { ResponseContinuation } from './approval/response-continuation';
import { type Decisions, readDecisions } from './approval/sent-decisions';
import { withSent } from './request/request-settings';
import type { ResponseRequest } from './request/response-request-schema';
import { keptBytesOf, ResponseStore } from './response.store';
import { type PreparedResponse, repeatableOf, type ResponseOrder, ResponsePreparation } from './response-preparation';
import { ResponseView } from './response-view';
import { endedPart, WHOLE } from './wire/response-part';
import type { ResponseHead } from './wire/response-resource';
import { responseId } from './wire/wire-ids';

/** A response that this request or an earlier one started. */
export interface StartedResponse {
  reply: LiveReply;
  head: ResponseHead;
  /** The turns in the prompt, in addition to the stored conversation. */
  turns: readonly Turn[];
}

/** The head of a response whose exchange has started; null: not started, or started by an earlier request. */
interface Begun {
  head: ResponseHead | null;
}

/** Creates responses: starts the exchange and sends the result in the requested form. */
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
    private readonly continuation: ResponseContinuation,
    private readonly config: OpenAiConfig,
    private readonly rights: CallerRights,
  ) {}

  /** Sends the response: as a stream, immediately if it runs in the background, or once it has ended. */
  async answer(order: ResponseOrder, exchange: HttpExchange): Promise<void> {
    const { context, request } = order;
    const { reply, head } = await this.start(order, exchange);
    // The end of the reply changes the settings of the head, so it is not copied.
    head.hasResults = request.include.includes(INCLUDED_RESULTS);
    const refusal = (): Promise<ApiError | null> => this.rights.refusalOf(context.principal, OPENAI_SCOPE);
    if (request.stream) {
      const writer = this.view.events(head, context.language, exchange.request, { refusal });
      await this.streams.stream(exchange, reply, writer);
      return;
    }
    if (!request.background) {
      const { status } = await this.streams.wait(exchange, reply);
      const refused = status === 'stopped' ? await refusal() : null;
      if (refused !== null) {
        throw refused;
      }
    }
    sendJson(exchange.response, this.view.resource(head, reply, context.language));
  }

  /** Starts the response or continues the reply that it decides about, and sets the response headers. */
  async start(order: ResponseOrder, exchange: HttpExchange): Promise<StartedResponse> {
    const decisions = readDecisions(order.request);
    if (decisions === null) {
      return this.make(order, exchange);
    }
    const { reply, head } = await this.continuation.start(order, decisions);
    if (decisions.rest.length > 0) {
      accompany(reply, exchange.response);
      await untilStored(reply);
      if (reply.end?.isElsewhere) {
        throw new ServiceUnavailableError();
      }
      return this.make({ ...order, request: following(order.request, decisions, head) }, exchange);
    }
    const started = Promise.resolve({ reply, quota: null });
    await this.streams.begin(exchange.response, order.context.principal, started, OPENAI_SCOPE);
    return { reply, head, turns: [] };
  }

  private async make(order: ResponseOrder, exchange: HttpExchange): Promise<StartedResponse> {
    const ignored = new IgnoredTools(this.config.OPENAI_UNKNOWN_TOOLS);
    const prepared = await this.preparation.prepare(order, ignored, whenGone(exchange.request));
    ignored.setHeader(exchange.response);
    listNames(exchange.response, WITHHELD_TOOLS, prepared.withheld);
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
    const reply = await this.streams.begin(response, principal, started, OPENAI_SCOPE);
    const head = begun.head ?? (await this.headOfRepeated(reply, prepared));
    return { reply: endedPart(reply, head.part), head, turns: prepared.promptTurns };
  }

  /** The request for a stored response. */
  private toExchangeRequest(
    order: ResponseOrder,
    { place, agent, turns, options, tightening, remote, fileSearch, labels, listed, settings }: PreparedResponse,
    begun: Begun,
  ): ExchangeRequest {
    const { context } = order;
    const { userId } = context.principal;
    const isBackground = order.request.background && !order.request.stream;
    return {
      sender: { ...senderOf(context), ...(isBackground && { isBackground }) },
      chatId: place?.chatId ?? { agent, language: context.language },
      agent,
      subject: { kind: 'turns', turns, after: place?.after ?? null },
      language: null,
      endsWithReaders: false,
      endsUnread: false,
      repeatable: repeatableOf(order),
      options,
      tightening,
      remote,
      fileSearch,
      keptBytes: keptBytesOf({ settings, listed }),
      keep: async (manager, stored) => {
        const { messageId, startedAt: createdAt } = stored;
        begun.head = { messageId, chatId: stored.chatId, createdAt, settings, labels, listed, part: WHOLE };
        await this.store.keep(manager, toRow(stored, { userId, place, turns, settings, labels, listed }));
      },
      keepEnd: this.correctionOf(begun, { agent, options }),
    };
  }

  /** The request for a response that only the client stores. */
  private toGeneration(
    order: ResponseOrder,
    {
      agent,
      turns,
      promptTurns,
      options,
      tightening,
      fileSearch,
      labels,
      listed,
      settings,
      isTainted,
    }: PreparedResponse,
    begun: Begun,
  ): StatelessRequest {
    return {
      sender: senderOf(order.context),
      agent,
      turns: promptTurns,
      isTainted,
      hasClientReplies: hasReplies(turns),
      options,
      tightening,
      fileSearch,
      repeatable: repeatableOf(order),
      onBegin: ({ id: messageId, createdAt }) => {
        begun.head = { messageId, chatId: 0, createdAt, settings, labels, listed, part: WHOLE };
      },
      keepEnd: this.correctionOf(begun, { agent, options }),
    };
  }

  /**
   * A request to the model may reveal unsupported parameters. The reply keeps this callback in memory while it runs, so
   * it must not refer to the request.
   */
  private correctionOf(begun: Begun, asked: Pick<PreparedResponse, 'agent' | 'options'>): ExchangeRequest['keepEnd'] {
    return async (manager) => {
      const { head } = begun;
      const settings = head && withSent(head.settings, this.preparation.sentParameters(asked));
      if (head !== null && settings !== null && !isDeepStrictEqual(settings, head.settings)) {
        head.settings = settings;
        await this.store.change(manager, head.messageId, settings);
      }
    };
  }

  /** A repeated request has no new head. If the response is not stored, the ID is all that the two have in common. */
  private async headOfRepeated(
    reply: LiveReply,
    { settings, labels, listed }: PreparedResponse,
  ): Promise<ResponseHead> {
    const { messageId, chatId } = reply;
    const stored = await this.store.headOf(messageId);
    return stored ?? { messageId, chatId, createdAt: this.clock.now(), settings, labels, listed, part: WHOLE };
  }
}

/** The request for the response after the continued reply. */
function following(request: ResponseRequest, { rest }: Decisions, head: ResponseHead): ResponseRequest {
  const isInConversation = request.conversation !== null;
  const previous = isInConversation ? null : responseId(head.messageId, head.part.number);
  return { ...request, input: [...rest], previous_response_id: previous };
}

function toRow(
  { chatId, userMessageId, messageId, startedAt }: StoredExchange,
  {
    userId,
    place,
    turns,
    settings,
    labels,
    listed,
  }: Pick<PreparedResponse, 'place' | 'turns' | 'settings' | 'labels' | 'listed'> & {
    userId: number;
  },
): Parameters<ResponseStore['keep']>[1] {
  return {
    id: messageId,
    userId,
    chatId,
    questionId: userMessageId,
    turnCount: turns.length,
    isInConversation: place?.isInConversation ?? false,
    settings,
    labels,
    listed,
    isDeleted: false,
    createdAt: startedAt,
  };
}
