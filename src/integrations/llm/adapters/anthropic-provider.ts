import { adjustBody } from '../generation/parameter-adjustment';
import {
  type CompletionListener,
  type CompletionRequest,
  type CompletionResult,
  LanguageModelProvider,
  type ModelMessage,
  type ModelParameters,
} from '../language-model-provider';
import { ProviderUnavailableError } from '../llm.errors';
import type { ProviderDefinition } from '../provider-definition';
import { AnthropicReader } from './anthropic-reader';
import { EventStreamClient, routeAddress } from './event-stream-client';
import { readModels } from './model-list';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const API_VERSION = '2023-06-01';
/**
 * The API requires a limit for the reply. This is the longest reply of any model. A model with shorter replies refuses it
 * once and names its own limit, which later requests use.
 */
const LONGEST_REPLY_TOKENS = 128_000;

/** Anthropic's Messages API. */
export class AnthropicProvider extends LanguageModelProvider {
  readonly name: string;
  readonly defaultModel: string | null;
  override readonly address: string;
  override readonly host: string;
  private readonly key: string | null;
  private readonly headers: Record<string, string>;
  private readonly baseUrl: string;
  private readonly client: EventStreamClient | null = null;

  constructor({ name, baseUrl, apiKey, model }: ProviderDefinition) {
    super();
    this.name = name;
    this.defaultModel = model;
    this.key = apiKey;
    // Operators write the address with or without the version; both are accepted.
    this.baseUrl = (baseUrl ?? DEFAULT_BASE_URL).replace(/\/v1\/?$/, '');
    this.address = this.baseUrl;
    this.host = new URL(this.baseUrl).host;
    this.headers = { 'x-api-key': apiKey ?? '', 'anthropic-version': API_VERSION };
    if (apiKey !== null) {
      this.client = new EventStreamClient(routeAddress(this.baseUrl, '/v1/messages'), this.headers, apiKey);
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

  override listModels(signal: AbortSignal): Promise<string[]> {
    const address = routeAddress(this.baseUrl.replace(/\/v1\/messages\/?$/, ''), '/v1/models');
    address.searchParams.set('limit', '1000');
    return readModels({ address, headers: this.headers, key: this.key }, signal);
  }

  override async retire(): Promise<void> {
    await this.client?.retire();
  }

  override async close(): Promise<void> {
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

/** The API accepts only user and assistant turns that are not empty, and the first one must be the user's. */
function toTurns(messages: ModelMessage[]): ModelMessage[] {
  const turns = messages.filter(({ role, content }) => role !== 'system' && content.trim() !== '');
  return turns[0]?.role === 'assistant' ? [{ role: 'user', content: 'Hello.' }, ...turns] : turns;
}

/** Leaves out settings that the API refuses (seed, penalties). The highest temperature is 1. */
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
