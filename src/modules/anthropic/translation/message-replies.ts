import { Injectable } from '@nestjs/common';
import type { ApiError } from '../../../common/errors/api-error';
import { sendJson } from '../../../common/http/send-json';
import type { RequestContext } from '../../../common/security/request-context';
import type { Agent } from '../../agent/agent.api';
import {
  type GenerationOptions,
  Generations,
  type GenerationTask,
  type HttpExchange,
  type LiveReply,
  modelParameters,
  outputLimitOf,
  PromptBuilder,
  ReplyBudget,
  type ReplyEnd,
  ReplyStreams,
  senderOf,
  type StartedReply,
  startWithin,
  type StatelessRequest,
  type StepWriter,
  ToolOffer,
  type Turn,
} from '../../generation/generation.api';
import type { CheckLog } from '../../guard/guard.api';
import { ANTHROPIC_SCOPE } from '../anthropic-prefix';
import { anthropicErrorBody } from '../errors/anthropic-error-dialect';
import { StoppedReplies } from '../errors/stopped-replies';
import type { MessageBody } from '../messages/message-request';
import { leastOutput, MAX_TOKENS } from '../messages/output-limit';
import { type PromptSize, ReplyOutcome } from './reply/reply-outcome';

/** A request to an agent, or to a model of a provider with another API. */
export interface MessageOrder {
  context: RequestContext;
  body: MessageBody;
  /** The agent. For a model: an agent without a prompt and settings of its own. */
  agent: Agent;
  /** The header `anthropic-version`. */
  version: string;
}

/** A reply that is about to start. */
export interface PlannedReply {
  agent: Agent;
  options: GenerationOptions;
  turns: readonly Turn[];
  /** Whether the request continues the last turn, and does not count as a message. */
  continuesTurn: boolean;
  /** The checks of guards that have seen the input. Absent: they check the turns. */
  checks?: CheckLog | undefined;
}

type PlannedTask = Pick<GenerationTask, 'agent' | 'language' | 'customInstructions'> & { options: GenerationOptions };

/** How a reply is returned. */
export interface ReplyForm {
  writer: StepWriter;
  /** The body of a complete reply that is not streamed. */
  toBody(reply: LiveReply, end: ReplyEnd): object;
  outcome: ReplyOutcome;
}

/** Starts replies of the engine for requests in Anthropic's format, and returns them. */
@Injectable()
export class MessageReplies {
  constructor(
    private readonly generations: Generations,
    private readonly offer: ToolOffer,
    private readonly prompt: PromptBuilder,
    private readonly budget: ReplyBudget,
    private readonly streams: ReplyStreams,
    private readonly stopped: StoppedReplies,
  ) {}

  /** @param refusal returns why the provider failed, in its own words if it refused the request */
  outcomeOf({ context }: MessageOrder, size: PromptSize, refusal?: () => unknown): ReplyOutcome {
    return new ReplyOutcome(size, this.stopped, context.principal, refusal);
  }

  /** Refuses a request early, before its files are fetched. @throws the errors of `Generations.requireQuota` */
  requireQuota({ context, body }: MessageOrder): Promise<void> {
    const sender = senderOf(context);
    return this.generations.requireQuota({ sender, repeatable: repeatableOf(sender.userId, body) });
  }

  /** The size of the prompt, with the agent's own texts and tools. */
  async sizeOf(order: MessageOrder, planned: Omit<PlannedReply, 'continuesTurn'>): Promise<PromptSize> {
    const task = await this.taskOf(order, planned);
    return { promptTokens: this.prompt.estimate(task, planned.turns), room: this.prompt.roomOf(task) };
  }

  /** Starts the reply and sends it, streamed or whole. It stops when the client disconnects. */
  async send(order: MessageOrder, planned: PlannedReply, form: ReplyForm, exchange: HttpExchange): Promise<void> {
    const { principal } = order.context;
    const reply = await this.streams.begin(
      exchange.response,
      principal,
      this.start(order, planned, exchange),
      ANTHROPIC_SCOPE,
    );
    try {
      if (order.body.stream === true) {
        await this.streams.stream(exchange, reply, form.writer);
        return;
      }
      await this.streams.wait(exchange, reply);
    } catch (error) {
      throw (reply.end && form.outcome.failureOf(reply.end)) ?? error;
    }
    const end = reply.end as ReplyEnd;
    await form.outcome.beforeEnd(end);
    const failure = form.outcome.failureOf(end);
    if (failure !== null) {
      throw failure;
    }
    sendJson(exchange.response, form.toBody(reply, end));
  }

  /** If a hard budget has no room for the requested limit of the reply, a lower one applies, which a header reports. */
  private async start(order: MessageOrder, planned: PlannedReply, { response }: HttpExchange): Promise<StartedReply> {
    const most = outputLimitOf(modelParameters(planned.agent, planned.options)) ?? 0;
    const task = await this.taskOf(order, planned);
    const started = await startWithin(
      { most, least: Math.min(most, leastOutput(order.body)) },
      (limit) => this.generations.start(statelessRequest(order, withOutputLimit(planned, limit))),
      (limit) => this.budget.mostCost(withOutputLimit(task, limit), planned.turns),
    );
    if (started.outputLimit < most) {
      response.setHeader(MAX_TOKENS, started.outputLimit);
    }
    return started;
  }

  /** The parts of the engine's task that decide the size of the prompt. */
  private async taskOf(
    { context, body }: MessageOrder,
    { agent, options }: Pick<PlannedReply, 'agent' | 'options'>,
  ): Promise<PlannedTask> {
    const wish = { asked: options, isAlone: true, hasClientReplies: hasReplies(body) };
    const offered = await this.offer.of(agent, context.principal.userId, wish);
    return { agent, language: null, customInstructions: '', options: offered?.options ?? options };
  }
}

function withOutputLimit<Planned extends { options: GenerationOptions }>(
  planned: Planned,
  max_tokens: number,
): Planned {
  const { options } = planned;
  return { ...planned, options: { ...options, parameters: { ...options.parameters, max_tokens } } };
}

/** The events of failures, in the language of the client. */
export function errorEventsOf({ context }: MessageOrder): (error: ApiError) => { type: string } {
  return (error) => anthropicErrorBody(error, context.language, context.requestId);
}

function statelessRequest({ context, body }: MessageOrder, planned: PlannedReply): StatelessRequest {
  const sender = senderOf(context);
  return {
    ...planned,
    sender,
    repeatable: repeatableOf(sender.userId, body),
    hasClientReplies: hasReplies(body),
    endsAtClientCall: true,
  };
}

/** The API stores whole responses for repeated requests, so the engine stores none. */
function repeatableOf(userId: number, body: MessageBody): StatelessRequest['repeatable'] {
  return { userId, key: null, route: 'POST /anthropic/v1/messages', body };
}

/** Whether the request has replies of models. */
export function hasReplies({ messages }: Pick<MessageBody, 'messages'>): boolean {
  return messages.some((message) => (message as { role?: unknown } | null)?.role === 'assistant');
}
