import { Injectable } from '@nestjs/common';
import { sendJson } from '../../../common/http/send-json';
import { writeHead } from '../../../common/http/server/stream-head';
import { whenGone } from '../../../common/http/when-gone';
import type { RequestContext } from '../../../common/security/request-context';
import type { Agent } from '../../agent/agent.api';
import {
  type GenerationOptions,
  Generations,
  type HttpExchange,
  IGNORED_TOOLS,
  listNames,
  PromptBuilder,
  ReplyStreams,
  senderOf,
  type StatelessRequest,
  ToolOffer,
  type Turn,
  WITHHELD_TOOLS,
} from '../../generation/generation.api';
import { AnthropicConfig } from '../anthropic.config';
import { anthropicErrorBody } from '../errors/anthropic-error-dialect';
import type { MessageBody } from '../messages/message-request';
import { newMessageId } from './message-id';
import { emptyMessage, emptyMessageEvents } from './reply/empty-message';
import { type MessageHead, toMessage } from './reply/message';
import { MessageWriter } from './reply/message-writer';
import { failureOf, type PromptSize, withNumbers } from './reply/reply-failure';
import { STREAM_HEADERS } from './reply/server-sent-event';
import { continuesTurn } from './request/check-messages';
import { IGNORED_FIELDS, ignoredFields, ignoredTools } from './request/ignored-fields';
import { type CountRequest, countRequest, messageRequest } from './request/message-request.schema';
import { readRequest } from './request/read-request';
import { RequestFiles } from './request/request-files';
import { requestOptions, withSettings } from './request/request-options';
import { type AgentTools, RequestTools } from './request/request-tools';
import { requestTurns } from './request/request-turns';

/** A request to an agent, or to a model of a provider with another API. */
export interface MessageOrder {
  context: RequestContext;
  body: MessageBody;
  /** The agent. For a model: an agent without a prompt and settings of its own. */
  agent: Agent;
  /** The header `anthropic-version`. */
  version: string;
}

/** The settings of a request, without its messages. */
interface RequestSettings {
  agent: Agent;
  /** With the client's tools only. */
  options: GenerationOptions;
  own: AgentTools;
  /** Whether the request has replies of models. */
  hasClientReplies: boolean;
}

/** Answers requests to agents, and to models of providers with another API. */
@Injectable()
export class TranslatedMessages {
  constructor(
    private readonly files: RequestFiles,
    private readonly tools: RequestTools,
    private readonly offer: ToolOffer,
    private readonly generations: Generations,
    private readonly prompt: PromptBuilder,
    private readonly streams: ReplyStreams,
    private readonly config: AnthropicConfig,
  ) {}

  /** Sends the response, as one body or as a stream. The reply stops when the client disconnects. */
  async answer(order: MessageOrder, exchange: HttpExchange): Promise<void> {
    const { response } = exchange;
    const request = readRequest(messageRequest, order.body);
    const settings = await this.settingsOf(order, request);
    listNames(response, IGNORED_FIELDS, ignoredFields(order.body));
    listNames(response, IGNORED_TOOLS, ignoredTools(request));
    listNames(response, WITHHELD_TOOLS, settings.own.withheld);
    const named = { id: newMessageId(), model: request.model };
    if (request.max_tokens === 0) {
      sendEmpty(named, request.stream === true, exchange);
      return;
    }
    const stateless = await this.statelessRequest(order, request, settings, whenGone(exchange.request));
    const head: MessageHead & PromptSize = {
      ...named,
      thinking: displayOf(request),
      tools: new Map(settings.options.tools.map((tool) => [tool.name, tool])),
      own: new Set(settings.own.names),
      ...(await this.sizeOf(order, settings, stateless.turns)),
    };
    try {
      await this.send(order, stateless, head, exchange);
    } catch (error) {
      throw withNumbers(error, head);
    }
  }

  /** The input tokens of a request, estimated as for its admission. @throws the errors of a request for a message */
  async count(order: MessageOrder, signal: AbortSignal): Promise<number> {
    const request = readRequest(countRequest, order.body);
    const settings = await this.settingsOf(order, request);
    const { userId } = order.context.principal;
    const files = await this.files.read(userId, request.messages, signal, () => Promise.resolve());
    return (await this.sizeOf(order, settings, requestTurns(request, files))).promptTokens;
  }

  private async send(
    { context, body }: MessageOrder,
    stateless: StatelessRequest,
    head: MessageHead & PromptSize,
    exchange: HttpExchange,
  ): Promise<void> {
    const { principal, language, requestId } = context;
    const reply = await this.streams.begin(exchange.response, principal, this.generations.start(stateless));
    if (body.stream === true) {
      const writer = new MessageWriter(head, (error) => anthropicErrorBody(error, language, requestId));
      await this.streams.stream(exchange, reply, writer);
      return;
    }
    const end = await this.streams.wait(exchange, reply);
    const failure = failureOf(end, head);
    if (failure !== null) {
      throw failure;
    }
    sendJson(exchange.response, toMessage(head, reply, end));
  }

  private async settingsOf({ context, agent }: MessageOrder, request: CountRequest): Promise<RequestSettings> {
    const hasClientReplies = request.messages.some(({ role }) => role === 'assistant');
    const own = await this.tools.of(agent, context.principal.userId, hasClientReplies);
    return {
      agent: withSettings(agent, request, this.config.ANTHROPIC_TOTAL_TIMEOUT),
      options: requestOptions(request, own),
      own,
      hasClientReplies,
    };
  }

  private async statelessRequest(
    { context, body }: MessageOrder,
    request: CountRequest,
    { agent, options, hasClientReplies }: RequestSettings,
    signal: AbortSignal,
  ): Promise<StatelessRequest> {
    const sender = senderOf(context);
    // The API keeps whole responses for repeated requests, so the engine stores none.
    const repeatable = { userId: sender.userId, key: null, route: 'POST /anthropic/v1/messages', body };
    const admit = (): Promise<void> => this.generations.requireQuota({ sender, repeatable });
    const files = await this.files.read(sender.userId, request.messages, signal, admit);
    return {
      sender,
      agent,
      turns: requestTurns(request, files),
      options,
      repeatable,
      hasClientReplies,
      continuesTurn: continuesTurn(request.messages),
      endsAtClientCall: true,
    };
  }

  /** The size of the prompt, with the agent's own texts and tools. */
  private async sizeOf(
    { context }: MessageOrder,
    { agent, options, hasClientReplies }: RequestSettings,
    turns: readonly Turn[],
  ): Promise<PromptSize> {
    const wish = { asked: options, isAlone: true, hasClientReplies };
    const offered = await this.offer.of(agent, context.principal.userId, wish);
    const task = { agent, language: null, customInstructions: '', options: offered?.options ?? options };
    return { promptTokens: this.prompt.estimate(task, turns), room: this.prompt.roomOf(task) };
  }
}

function sendEmpty(named: Pick<MessageHead, 'id' | 'model'>, isStream: boolean, { response }: HttpExchange): void {
  if (isStream) {
    writeHead(response, STREAM_HEADERS);
    response.end(emptyMessageEvents(named));
  } else {
    sendJson(response, emptyMessage(named));
  }
}

function displayOf({ thinking }: CountRequest): MessageHead['thinking'] {
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') {
    return null;
  }
  return thinking.display === 'omitted' ? 'omitted' : 'summarized';
}
