import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { LanguageModels } from '../../../integrations/llm/language-models';
import type { AnthropicRequest } from '../../../integrations/llm/port/anthropic-request';
import type { NamedModel } from '../../../integrations/llm/port/model-reference';
import type { Agent } from '../../agent/agent.api';
import {
  type HttpExchange,
  listNames,
  type LiveReply,
  type ReplyEnd,
  WITHHELD_TOOLS,
} from '../../generation/generation.api';
import { AnthropicConfig } from '../anthropic.config';
import { GuardedBodies } from '../messages/guarded-bodies';
import type { MessageBody } from '../messages/message-request';
import { continuesTurn, promptOf } from '../messages/prompt-size';
import { sharedFeatures } from '../messages/shared-features';
import { forwardedHeaders } from '../pass-through/forwarded-headers';
import { callIdsIn, newMessageId } from '../translation/message-id';
import {
  errorEventsOf,
  hasReplies,
  type MessageOrder,
  MessageReplies,
  type PlannedReply,
} from '../translation/message-replies';
import { toMessage } from '../translation/reply/message';
import { withNumbers } from '../translation/reply/reply-outcome';
import { withSettings } from '../translation/request/request-options';
import { type AgentTools, RequestTools } from '../translation/request/request-tools';
import { TranslatedMessages } from '../translation/translated-messages';
import { agentMessage } from './agent-message';
import { AgentMessageWriter } from './agent-message-writer';
import { agentBody, forVersion, refuseEqualTools, translatedRequest } from './agent-request';

/** The kind of the providers that get the client's own body. */
const OWN_KIND = 'anthropic';

/** Answers requests to agents. An Anthropic provider gets the client's body, with few changes; others a translation. */
@Injectable()
export class AgentMessages {
  constructor(
    private readonly models: LanguageModels,
    private readonly translated: TranslatedMessages,
    private readonly tools: RequestTools,
    private readonly replies: MessageReplies,
    private readonly config: AnthropicConfig,
    private readonly bodies: GuardedBodies,
  ) {}

  /** Whether the provider of an agent gets the client's own body. */
  isOwnKind({ provider }: Pick<Agent, 'provider'>): boolean {
    return this.models.kindOf(provider ?? this.models.defaultProvider) === OWN_KIND;
  }

  /** Sends the response, streamed or whole. */
  async answer(order: MessageOrder, exchange: HttpExchange): Promise<void> {
    if (!this.isOwnKind(order.agent)) {
      return this.translated.answer(order, exchange);
    }
    const checks = await this.bodies.check(order.context, order.body, order.agent);
    const own = await this.tools.of(order.agent, order.context.principal.userId, hasReplies(order.body));
    refuseEqualTools(order.body, own);
    listNames(exchange.response, WITHHELD_TOOLS, own.withheld);
    const { planned, anthropic } = await this.plan(order, own, exchange.request);
    const head = {
      id: newMessageId(),
      model: order.body.model,
      thinking: null,
      tools: new Map(planned.options.tools.map((tool) => [tool.name, tool])),
      own: new Set(own.names),
      taken: callIdsIn(order.body.messages),
      ...(await this.replies.sizeOf(order, planned)),
    };
    try {
      const outcome = this.replies.outcomeOf(order, head, () => anthropic.failure);
      const form = {
        writer: new AgentMessageWriter(head, outcome, errorEventsOf(order)),
        toBody: (reply: LiveReply, end: ReplyEnd) =>
          agentMessage(reply, head.model, head.own) ?? toMessage(head, reply, end),
        outcome,
      };
      await this.replies.send(order, { ...planned, checks }, form, exchange);
    } catch (error) {
      throw withNumbers(error, head);
    }
  }

  /** The model of an agent, and the client's body with the agent's changes, for the provider's own count. */
  async countRequest({ body: sent, agent, context }: MessageOrder): Promise<NamedModel & { body: MessageBody }> {
    const body = await this.bodies.masked(context, sent, agent);
    const own = await this.tools.definitionsOf(agent, context.principal.userId, hasReplies(body));
    const wire = own.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
    const all = Array.isArray(body.tools) ? (body.tools as unknown[]) : [];
    const { provider, model } = this.models.lookUp({ provider: agent.provider, model: agent.model });
    const changed = { ...agentBody(body, agent), ...(wire.length > 0 && { tools: [...all, ...wire] }) };
    return { provider, model: model ?? '', body: changed as MessageBody };
  }

  private async plan(
    { body, agent, version }: MessageOrder,
    own: AgentTools,
    request: Request,
  ): Promise<{ planned: PlannedReply; anthropic: AnthropicRequest }> {
    const { texts } = await promptOf(body);
    const { options, turns, isWhole } = translatedRequest(body, own, texts);
    const anthropic: AnthropicRequest = {
      body: agentBody(body, agent),
      headers: forwardedHeaders(request.headers, version),
      query: queryOf(request),
      clientTools: new Set(options.tools.map(({ name }) => name)),
      failure: null,
    };
    const set = withSettings(
      forVersion(agent, version),
      stopsOf(body.stop_sequences),
      this.config.ANTHROPIC_TOTAL_TIMEOUT,
    );
    // Only the first provider is known to allow them.
    const features = [...sharedFeatures(body)].map(({ feature }) => feature);
    // The rounds of an agent stay with one API, because each has its own form of calls and results.
    const mayTranslate = isWhole && own.names.length === own.withheld.length && features.length === 0;
    const { provider, fallbackModels: all } = set;
    const fallbackModels = mayTranslate ? all : this.models.anthropicFallbacks(provider, all, features);
    const planned = {
      agent: { ...set, fallbackModels },
      options: { ...options, anthropic },
      turns,
      continuesTurn: continuesTurn(body),
    };
    return { planned, anthropic };
  }
}

function queryOf({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?');
  return start === -1 ? '' : originalUrl.slice(start);
}

function stopsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
