import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import {
  LanguageModelProvider,
  type CompletionListener,
  type CompletionRequest,
  type CompletionResult,
  type ModelMessage,
  type ModelParameters,
} from '../language-model-provider';
import { LlmConfig } from '../llm.config';
import { ProviderUnavailableError } from '../llm.errors';
import { adjustBody } from '../parameter-adjustment';
import { AnthropicReader } from './anthropic.reader';
import { EventStreamClient, routeAddress } from './event-stream.client';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const API_VERSION = '2023-06-01';
/**
 * The API refuses a request that does not limit the reply. This is the longest reply of any model; one whose replies are
 * shorter refuses it once, names its own limit, and is asked with that from then on.
 */
const LONGEST_REPLY_TOKENS = 128_000;

/** Anthropic's Messages API. */
@Injectable()
export class AnthropicProvider extends LanguageModelProvider implements OnApplicationShutdown {
  readonly name = 'anthropic';
  readonly defaultModel: string | null;
  override readonly address: string;
  private readonly client: EventStreamClient | null = null;

  constructor(config: LlmConfig) {
    super();
    const isMine = config.LLM_PROVIDER === 'anthropic';
    this.defaultModel = isMine ? config.LLM_MODEL : null;
    this.address = (isMine ? config.LLM_BASE_URL : null) ?? DEFAULT_BASE_URL;
    if (isMine && config.LLM_API_KEY !== null) {
      // The address is given with the version by some and without by others; both are meant.
      const baseUrl = (config.LLM_BASE_URL ?? DEFAULT_BASE_URL).replace(/\/v1\/?$/, '');
      const headers = { 'x-api-key': config.LLM_API_KEY, 'anthropic-version': API_VERSION };
      this.client = new EventStreamClient(routeAddress(baseUrl, '/v1/messages'), headers, config.LLM_API_KEY);
    }
  }

  get isConfigured(): boolean {
    return this.client !== null;
  }

  async complete(
    request: CompletionRequest,
    listener: CompletionListener,
    signal: AbortSignal,
  ): Promise<CompletionResult> {
    const model = request.model ?? this.defaultModel;
    if (this.client === null || model === null) {
      throw new ProviderUnavailableError();
    }
    const reader = new AnthropicReader(listener, model);
    await this.client.post(toBody(model, request), reader, signal);
    return reader.result;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client?.close();
  }
}

function toBody(model: string, { messages, parameters, adjustments }: CompletionRequest): Record<string, unknown> {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const body = {
    model,
    stream: true,
    ...toParameters(parameters),
    ...(system.length > 0 ? { system: system.join('\n\n') } : {}),
    messages: toTurns(messages),
  };
  return adjustBody(body, adjustments);
}

/** The API takes only user and assistant turns that are not empty, and the first one must be the user's. */
function toTurns(messages: ModelMessage[]): ModelMessage[] {
  const turns = messages.filter(({ role, content }) => role !== 'system' && content.trim() !== '');
  return turns[0]?.role === 'assistant' ? [{ role: 'user', content: 'Hello.' }, ...turns] : turns;
}

/** Settings the API does not know (seed, penalties) are left out: it refuses them. Its temperature ends at 1. */
function toParameters(parameters: ModelParameters): Record<string, unknown> {
  const { temperature, top_p, top_k, stop, max_tokens, max_completion_tokens } = parameters;
  const stopSequences = [stop ?? []].flat().filter((sequence) => sequence.trim() !== '');
  return {
    max_tokens: max_tokens ?? max_completion_tokens ?? LONGEST_REPLY_TOKENS,
    ...(temperature === undefined ? {} : { temperature: Math.min(temperature, 1) }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(top_k === undefined ? {} : { top_k }),
    ...(stopSequences.length > 0 ? { stop_sequences: stopSequences } : {}),
  };
}
