import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { whenGone } from '../../../common/http/when-gone';
import { contextOf, type RequestContext } from '../../../common/security/request-context';
import { ExchangeService, type HttpExchange, ReplyStreams, senderOf, type StartedReply } from '../../chat/chat.api';
import { refuseLongLabels } from '../input/labels';
import { ModelResolver } from '../model-resolver';
import { OpenAiConfig } from '../openai.config';
import { COMPLETIONS_PATH } from '../openai-prefix';
import { IgnoredTools } from '../tools/ignored-tools';
import { toChatCompletionDto } from './completion.dto';
import { CompletionChunkWriter } from './completion-chunk-writer';
import { failureOf } from './failure-of';
import type { CompletionRequestBody } from './request/completion-request.schema';
import { wishesOf } from './request/completion-wishes';
import { MessageFiles } from './request/message-files';
import { checkConversation, turnsOf } from './request/message-turns';
import { newestTurns } from './request/newest-turns';
import { refuseUnsupported } from './request/refuse-unsupported';

/**
 * Completes conversations that clients send whole. A completion is a reply in a hidden conversation of which nothing stays
 * but what was used; with an `Idempotency-Key` its answer stays for a day.
 */
@Injectable()
export class CompletionService {
  constructor(
    private readonly models: ModelResolver,
    private readonly files: MessageFiles,
    private readonly exchanges: ExchangeService,
    private readonly streams: ReplyStreams,
    private readonly clock: Clock,
    private readonly config: OpenAiConfig,
  ) {}

  /** Answers with a completion, streamed or whole. It ends when the client leaves. */
  async answer(exchange: HttpExchange, body: CompletionRequestBody, key: string | null): Promise<void> {
    const context = contextOf(exchange.request) as RequestContext;
    const head = { created: Math.floor(this.clock.now().getTime() / 1_000), model: body.model };
    const started = this.start(exchange, body, key);
    const reply = await this.streams.begin(exchange.response, context.principal, started);
    if (body.stream === true) {
      const showsUsage = body.stream_options?.include_usage === true;
      await this.streams.stream(exchange, reply, new CompletionChunkWriter(head, showsUsage, context.language));
      return;
    }
    const end = await this.streams.wait(exchange, reply);
    const failure = failureOf(end);
    if (failure !== null) {
      throw failure;
    }
    exchange.response.json(toChatCompletionDto(head, reply, end));
  }

  private async start(
    { request, response }: HttpExchange,
    body: CompletionRequestBody,
    key: string | null,
  ): Promise<StartedReply> {
    const context = contextOf(request) as RequestContext;
    refuseUnsupported(body);
    refuseLongLabels(body);
    checkConversation(body.messages);
    const ignored = new IgnoredTools(this.config.OPENAI_UNKNOWN_TOOLS);
    const wishes = wishesOf(body, ignored);
    ignored.tell(response);
    const agent = await this.models.resolve(body.model, context.principal.tier);
    const sender = senderOf(context);
    const repeatable = {
      userId: sender.userId,
      key,
      route: `POST ${COMPLETIONS_PATH}`,
      body: sameInRepetitions(body),
    };
    const admit = (): Promise<void> => this.exchanges.requireRoom({ sender, repeatable }, false);
    const turns = turnsOf(body.messages, await this.files.read(body.messages, whenGone(request), admit));
    return this.exchanges.start({
      sender,
      chatId: { agent, isKept: false, language: context.language },
      subject: { kind: 'turns', turns: newestTurns(turns, agent.contextMaxMessages), after: null },
      language: null,
      endsWithReaders: true,
      endsUnread: false,
      repeatable,
      wishes,
    });
  }
}

/** The same completion may be asked for again in the other form. */
function sameInRepetitions(body: CompletionRequestBody): object {
  return { ...body, stream: undefined, stream_options: undefined };
}
