import { Injectable, Logger } from '@nestjs/common';
import { toApiError } from '../../../common/errors/to-api-error';
import { whenGone } from '../../../common/http/when-gone';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { LlmConfig } from '../../../integrations/llm/llm.config';
import { tariffOf } from '../../../integrations/llm/model-relays';
import { ModelRelays } from '../../../integrations/llm/model-relays';
import type { RelayRequest } from '../../../integrations/llm/port/relay';
import {
  accompany,
  type RelayedRequest,
  type RelayOrder,
  Relays,
  ReplyStreams,
  ReplyTiming,
  senderOf,
  setCostHeader,
  type StartedRelay,
  untilStored,
} from '../../generation/generation.api';
import { AnthropicConfig } from '../anthropic.config';
import { ANTHROPIC_SCOPE } from '../anthropic-prefix';
import { anthropicErrorBody } from '../errors/anthropic-error-dialect';
import { StoppedReplies } from '../errors/stopped-replies';
import { GuardedBodies } from '../messages/guarded-bodies';
import type { MessageBody, MessageRequest } from '../messages/message-request';
import { leastOutput, MAX_TOKENS } from '../messages/output-limit';
import { continuesTurn, promptOf } from '../messages/prompt-size';
import type { PassThroughTarget } from '../models/message-targets';
import { forwardedHeaders } from './forwarded-headers';
import { PassedBody } from './passed-body';
import { PROVIDER_REQUEST_ID, RelayWriter } from './relay-writer';

/** Says whether the provider counted the tokens (`exact`) or the service did (`estimated`). */
export const TOKEN_COUNT = 'X-Token-Count';

/** Web searches of a request that names no limit. */
const USUAL_SEARCHES = 10;

/** Passes requests on to Anthropic providers byte for byte. */
@Injectable()
export class PassThroughMessages {
  private readonly logger = new Logger(PassThroughMessages.name);

  constructor(
    private readonly relays: Relays,
    private readonly models: ModelRelays,
    private readonly streams: ReplyStreams,
    private readonly timing: ReplyTiming,
    private readonly stopped: StoppedReplies,
    private readonly config: AnthropicConfig,
    private readonly llm: LlmConfig,
    private readonly bodies: GuardedBodies,
  ) {}

  /** Sends the provider's response, streamed or whole. The request ends when the client disconnects. */
  async answer(request: MessageRequest, target: PassThroughTarget): Promise<void> {
    const { context, exchange, body } = request;
    const checks = await this.bodies.check(context, body, target.agent);
    const { response } = exchange;
    const writer = new RelayWriter(response, this.timing.silence);
    const relayed = await this.relayed(request, target, writer);
    const starting = this.relays.start({ ...relayed, checks });
    const reply = await this.streams.begin(response, context.principal, starting, ANTHROPIC_SCOPE);
    const { outputLimit } = await starting;
    if (outputLimit < (body.max_tokens ?? 0)) {
      response.setHeader(MAX_TOKENS, outputLimit);
    }
    accompany(reply, response);
    writer.allowHead();
    await this.send(request, reply, relayed.order, writer);
  }

  /** Sends the provider's count of the input tokens. */
  async count(request: MessageRequest, target: PassThroughTarget): Promise<void> {
    const { response } = request.exchange;
    const limits = { firstToken: null, idle: null, total: this.llm.LLM_FIRST_TOKEN_TIMEOUT * SECOND_MILLISECONDS };
    const relay = this.relayRequest(request, target, '/v1/messages/count_tokens');
    const body = new PassedBody(request.bytes, request.body).bytesFor(target.model, null);
    const answer = await this.models.open({ ...relay, body }, limits, whenGone(request.exchange.request));
    const parts: Buffer[] = [];
    for await (const part of answer.parts) {
      parts.push(part);
    }
    response.setHeader('Content-Type', answer.contentType ?? 'application/json');
    response.setHeader(TOKEN_COUNT, 'exact');
    if (answer.requestId !== null) {
      response.setHeader(PROVIDER_REQUEST_ID, answer.requestId);
    }
    response.end(Buffer.concat(parts));
  }

  /** The request as guards leave it. @throws ContentBlockedError, GuardUnavailableError */
  async masked(request: MessageRequest, { agent }: PassThroughTarget): Promise<MessageRequest> {
    const body = await this.bodies.masked(request.context, request.body, agent);
    return body === request.body ? request : { ...request, body, bytes: Buffer.from(JSON.stringify(body)) };
  }

  /** Waits for the end, and ends the response. @throws the failure of a reply whose head was not sent */
  private async send(
    { context, exchange }: MessageRequest,
    reply: StartedRelay['reply'],
    order: RelayOrder,
    writer: RelayWriter,
  ): Promise<void> {
    const { response } = exchange;
    const isStored = await untilStored(reply).then(
      () => true,
      (error: unknown) => {
        if (!writer.isStreaming) {
          throw error;
        }
        return false;
      },
    );
    this.logger.log(
      { request_id: context.requestId, provider_request_id: response.getHeader(PROVIDER_REQUEST_ID) ?? null },
      'A request was relayed.',
    );
    if (!isStored || reply.end?.status === 'completed') {
      setCostHeader(response, reply);
      writer.end();
      return;
    }
    const isFailed = reply.end?.status === 'failed';
    const failure = isFailed ? toApiError(order.failure) : await this.stopped.reasonOf(context.principal);
    if (!writer.isStreaming) {
      throw failure;
    }
    writer.fail(order.isFailureRelayed ? null : anthropicErrorBody(failure, context.language, context.requestId));
  }

  private async relayed(
    request: MessageRequest,
    target: PassThroughTarget,
    writer: RelayWriter,
  ): Promise<Omit<RelayedRequest, 'checks'>> {
    const { context, body, bytes } = request;
    const passed = new PassedBody(bytes, body);
    const { size, texts, fileTokens } = await promptOf(body);
    const relay = this.relayRequest(request, target, '/v1/messages');
    const outputLimit = body.max_tokens ?? 0;
    const order: RelayOrder = {
      size,
      tariffs: { fixed: fixedTariff(body), mayPrioritize: (body.service_tier ?? 'auto') === 'auto' },
      webSearches: mostSearches(body),
      limits: this.limitsOf(body),
      sink: writer,
      createRequest: (limit) => ({ ...relay, body: passed.bytesFor(target.model, limit) }),
      failure: null,
      isFailureRelayed: false,
    };
    return {
      sender: senderOf(context),
      agent: target.agent,
      order,
      texts,
      fileTokens,
      continuesTurn: continuesTurn(body),
      outputLimit,
      leastOutput: Math.min(outputLimit, leastOutput(body)),
    };
  }

  private relayRequest(
    { exchange: { request }, version }: MessageRequest,
    { provider, model }: PassThroughTarget,
    route: RelayRequest['route'],
  ): Omit<RelayRequest, 'body'> {
    const start = request.originalUrl.indexOf('?');
    const query = start === -1 ? '' : request.originalUrl.slice(start);
    return { provider, model, route, query, headers: forwardedHeaders(request.headers, version) };
  }

  private limitsOf({ stream }: MessageBody): RelayOrder['limits'] {
    const { LLM_FIRST_TOKEN_TIMEOUT, LLM_IDLE_TIMEOUT } = this.llm;
    const isStream = stream === true;
    return {
      firstToken: isStream ? LLM_FIRST_TOKEN_TIMEOUT * SECOND_MILLISECONDS : null,
      idle: isStream ? LLM_IDLE_TIMEOUT * SECOND_MILLISECONDS : null,
      total: this.config.ANTHROPIC_TOTAL_TIMEOUT * SECOND_MILLISECONDS,
    };
  }
}

/** The tariff that the request itself chooses. A tier may be chosen by the provider. */
function fixedTariff({ speed, inference_geo }: MessageBody): string {
  return tariffOf({ speed, inference_geo });
}

function mostSearches({ tools }: MessageBody): number {
  const all = Array.isArray(tools) ? (tools as unknown[]) : [];
  return all.reduce<number>((sum, tool) => {
    const { type, max_uses: uses } = (tool ?? {}) as { type?: unknown; max_uses?: unknown };
    const isSearch = typeof type === 'string' && type.startsWith('web_search');
    const most = Number.isSafeInteger(uses) && Number(uses) >= 0 ? Number(uses) : USUAL_SEARCHES;
    return sum + (isSearch ? most : 0);
  }, 0);
}
