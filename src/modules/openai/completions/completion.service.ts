import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { ApiError } from '../../../common/errors/api-error';
import { sendJson } from '../../../common/http/send-json';
import { whenGone } from '../../../common/http/when-gone';
import type { RequestContext } from '../../../common/security/request-context';
import {
  CallerRights,
  Generations,
  type HttpExchange,
  listNames,
  ReplyStreams,
  senderOf,
  type StartedReply,
  WITHHELD_TOOLS,
} from '../../generation/generation.api';
import { refuseLongJson } from '../input/item-text';
import { refuseLongLabels } from '../input/labels';
import { ModelResolver } from '../model-resolver';
import { OpenAiConfig } from '../openai.config';
import { COMPLETIONS_PATH, OPENAI_SCOPE } from '../openai-prefix';
import { ActingTools, hasReplies } from '../tools/acting-tools';
import { IgnoredTools } from '../tools/ignored-tools';
import { type CompletionHead, toChatCompletionDto } from './completion.dto';
import { CompletionChunkWriter } from './completion-chunk-writer';
import { failureOf } from './failure-of';
import { CompletionFiles } from './request/completion-files';
import { optionsOf } from './request/completion-options';
import type { CompletionRequestBody } from './request/completion-request.schema';
import { readTools } from './request/completion-tools';
import { checkConversation, turnsOf } from './request/message-turns';
import { newestTurns } from './request/newest-turns';
import { refuseUnsupportedFields } from './request/refuse-unsupported-fields';

/**
 * Completes conversations that clients send whole. It stores only the usage, and with an `Idempotency-Key` the response
 * for a day.
 */
@Injectable()
export class CompletionService {
  constructor(
    private readonly models: ModelResolver,
    private readonly files: CompletionFiles,
    private readonly generations: Generations,
    private readonly streams: ReplyStreams,
    private readonly clock: Clock,
    private readonly config: OpenAiConfig,
    private readonly acting: ActingTools,
    private readonly rights: CallerRights,
  ) {}

  /** Sends a completion, streamed or whole. The completion stops when the client disconnects. */
  async answer(
    context: RequestContext,
    body: CompletionRequestBody,
    key: string | null,
    exchange: HttpExchange,
  ): Promise<void> {
    const head: CompletionHead = {
      created: Math.floor(this.clock.now().getTime() / 1_000),
      model: body.model,
      callers: null,
    };
    const started = this.start(context, body, key, exchange, head);
    const reply = await this.streams.begin(exchange.response, context.principal, started, OPENAI_SCOPE);
    const refusal = (): Promise<ApiError | null> => this.rights.refusalOf(context.principal, OPENAI_SCOPE);
    if (body.stream === true) {
      const showsUsage = body.stream_options?.include_usage === true;
      await this.streams.stream(
        exchange,
        reply,
        new CompletionChunkWriter(head, showsUsage, context.language, refusal),
      );
      return;
    }
    const end = await this.streams.wait(exchange, reply);
    const failure = failureOf(end) ?? (end.status === 'stopped' ? await refusal() : null);
    if (failure !== null) {
      throw failure;
    }
    sendJson(exchange.response, toChatCompletionDto(head, reply, end));
  }

  private async start(
    context: RequestContext,
    body: CompletionRequestBody,
    key: string | null,
    { request, response }: HttpExchange,
    head: CompletionHead,
  ): Promise<StartedReply> {
    refuseUnsupportedFields(body);
    refuseLongLabels(body);
    refuseLongJson(body.response_format, 'response_format');
    checkConversation(body.messages);
    const ignored = new IgnoredTools(this.config.OPENAI_UNKNOWN_TOOLS);
    const offered = readTools(body.tools ?? [], ignored);
    const agent = await this.models.resolve(body.model, context.principal);
    const { userId } = context.principal;
    const { tools, tightening } = await this.acting.of(agent, userId, [], offered);
    const withheld = await this.acting.withheld(agent, userId, { tightening, turns: body.messages });
    const isActing = tools.length > withheld.length;
    const options = optionsOf(body, offered, isActing);
    ignored.setHeader(response);
    listNames(response, WITHHELD_TOOLS, withheld);
    // Without function calling, the service searches the documents of the agent itself.
    if (isActing || agent.knowledge?.length) {
      head.callers = new Set(options.tools.map(({ name }) => name));
    }
    const sender = senderOf(context);
    const repeatable = {
      userId: sender.userId,
      key,
      route: `POST ${COMPLETIONS_PATH}`,
      body: sameInRepetitions(body),
    };
    const admit = (): Promise<void> => this.generations.requireQuota({ sender, repeatable });
    const reader = { userId, agent, signal: whenGone(request) };
    const turns = turnsOf(body.messages, await this.files.read(reader, body.messages, admit));
    return this.generations.start({
      sender,
      agent,
      turns: newestTurns(turns, agent.contextMaxMessages),
      options,
      repeatable,
      hasClientReplies: hasReplies(body.messages),
    });
  }
}

/** A repetition of a request may differ in whether it streams. */
function sameInRepetitions(body: CompletionRequestBody): object {
  return { ...body, stream: undefined, stream_options: undefined };
}
