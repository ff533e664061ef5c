import { Injectable } from '@nestjs/common';
import { sendJson } from '../../../common/http/send-json';
import { writeHead } from '../../../common/http/server/stream-head';
import { whenGone } from '../../../common/http/when-gone';
import type { Agent } from '../../agent/agent.api';
import {
  type GenerationOptions,
  type HttpExchange,
  IGNORED_TOOLS,
  listNames,
  type LiveReply,
  type ReplyEnd,
  WITHHELD_TOOLS,
} from '../../generation/generation.api';
import { AnthropicConfig } from '../anthropic.config';
import { continuesTurn } from '../messages/prompt-size';
import { callIdsIn, newMessageId } from './message-id';
import { errorEventsOf, hasReplies, type MessageOrder, MessageReplies } from './message-replies';
import { emptyMessage, emptyMessageEvents } from './reply/empty-message';
import { type MessageHead, toMessage } from './reply/message';
import { MessageWriter } from './reply/message-writer';
import { withNumbers } from './reply/reply-outcome';
import { STREAM_HEADERS } from './reply/server-sent-event';
import { IGNORED_FIELDS, ignoredFields, ignoredTools } from './request/ignored-fields';
import { type CountRequest, countRequest, messageRequest } from './request/message-request.schema';
import { readRequest } from './request/read-request';
import { RequestFiles } from './request/request-files';
import { refuseManyStops, requestOptions, withSettings } from './request/request-options';
import { type AgentTools, RequestTools } from './request/request-tools';
import { requestTurns } from './request/request-turns';

export type { MessageOrder };

/** The settings of a request, without its messages. */
interface RequestSettings {
  agent: Agent;
  /** With the client's tools only. */
  options: GenerationOptions;
  own: AgentTools;
}

/** Answers requests to agents, and to models of providers with another API, by translation. */
@Injectable()
export class TranslatedMessages {
  constructor(
    private readonly files: RequestFiles,
    private readonly tools: RequestTools,
    private readonly replies: MessageReplies,
    private readonly config: AnthropicConfig,
  ) {}

  /** Sends the response, as one body or as a stream. */
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
    const signal = whenGone(exchange.request);
    const admit = (): Promise<void> => this.replies.requireQuota(order);
    const files = await this.files.read(order.context.principal.userId, request.messages, signal, admit);
    const { agent, options, own } = settings;
    const planned = { agent, options, turns: requestTurns(request, files), continuesTurn: continuesTurn(order.body) };
    const head = {
      ...named,
      thinking: displayOf(request),
      tools: new Map(options.tools.map((tool) => [tool.name, tool])),
      own: new Set(own.names),
      taken: callIdsIn(order.body.messages),
      ...(await this.replies.sizeOf(order, planned)),
    };
    try {
      const outcome = this.replies.outcomeOf(order, head);
      const form = {
        writer: new MessageWriter(head, outcome, errorEventsOf(order)),
        toBody: (reply: LiveReply, end: ReplyEnd) => toMessage(head, reply, end),
        outcome,
      };
      await this.replies.send(order, planned, form, exchange);
    } catch (error) {
      throw withNumbers(error, head);
    }
  }

  /** The input tokens of a request, estimated as for its admission. @throws the errors of a request for a message */
  async count(order: MessageOrder, signal: AbortSignal): Promise<number> {
    const request = readRequest(countRequest, order.body);
    const { agent, options } = await this.settingsOf(order, request);
    const { userId } = order.context.principal;
    const files = await this.files.read(userId, request.messages, signal, () => Promise.resolve());
    const { promptTokens } = await this.replies.sizeOf(order, { agent, options, turns: requestTurns(request, files) });
    return promptTokens;
  }

  private async settingsOf({ context, agent, body }: MessageOrder, request: CountRequest): Promise<RequestSettings> {
    const own = await this.tools.of(agent, context.principal.userId, hasReplies(body));
    const set = withSettings(agent, request.stop_sequences ?? [], this.config.ANTHROPIC_TOTAL_TIMEOUT);
    refuseManyStops(set);
    return { agent: set, options: requestOptions(request, own), own };
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
