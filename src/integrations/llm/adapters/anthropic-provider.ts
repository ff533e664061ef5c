import {
  type CompletionListener,
  type CompletionRequest,
  type CompletionResult,
  LanguageModelProvider,
  type ModelParameters,
} from '../port/language-model-provider';
import { ProviderUnavailableError } from '../port/llm.errors';
import type { ModelFeature } from '../port/message-parts';
import { adjustBody } from '../port/parameter-adjustment';
import { addressOf, type ProviderDefinition } from '../port/provider-definition';
import type { RelayedAnswer, RelayRequest } from '../port/relay';
import { needsOf } from '../port/request-features';
import type { ProviderTargets } from '../providers/provider-targets';
import { exchangeMessages } from './anthropic-exchange';
import { AnthropicReader } from './anthropic-reader';
import { EventStreamClient, routeAddress } from './event-stream-client';
import { readModels } from './model-list';
import { RelayClient } from './relay-client';
import { isAnthropicType, toAnthropicTurns } from './requests/anthropic-messages';
import { formInstruction, toAnthropicTools } from './requests/anthropic-tools';
import { BETWEEN_INSTRUCTIONS, systemTexts } from './requests/system-texts';

const API_VERSION = '2023-06-01';
/**
 * The API requires a limit for the reply. This is the longest reply of any model. A model with shorter replies refuses
 * it once and names its own limit, which later requests use.
 */
const LONGEST_REPLY_TOKENS = 128_000;

/** The parameters that `toParameters` passes on. */
const PARAMETERS: ReadonlySet<keyof ModelParameters> = new Set([
  ...(['temperature', 'top_p', 'top_k', 'stop', 'max_tokens', 'max_completion_tokens'] as const),
]);

/** Anthropic's Messages API. */
export class AnthropicProvider extends LanguageModelProvider {
  readonly name: string;
  readonly defaultModel: string | null;
  override readonly kind = 'anthropic';
  override readonly address: string;
  override readonly host: string;
  override readonly parameters = PARAMETERS;
  private readonly key: string | null;
  private readonly headers: Record<string, string>;
  private readonly baseUrl: string;
  private readonly client: EventStreamClient | null = null;
  private readonly relayClient: RelayClient | null = null;

  constructor(
    definition: ProviderDefinition,
    private readonly targets: ProviderTargets,
  ) {
    super();
    const { name, apiKey, model } = definition;
    this.name = name;
    this.defaultModel = model;
    this.key = apiKey;
    // Operators write the address with or without the version; both are accepted.
    this.baseUrl = (addressOf(definition) ?? '').replace(/\/v1\/?$/, '');
    this.address = this.baseUrl;
    this.host = new URL(this.baseUrl).host;
    this.headers = { 'x-api-key': apiKey ?? '', 'anthropic-version': API_VERSION };
    if (apiKey !== null) {
      this.client = new EventStreamClient(
        { address: routeAddress(this.baseUrl, '/v1/messages'), headers: this.headers, key: apiKey },
        targets,
      );
      const baseUrl = this.baseUrl.replace(/\/v1\/messages\/?$/, '');
      this.relayClient = new RelayClient({ baseUrl, headers: { 'x-api-key': apiKey }, key: apiKey }, targets);
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
    const { anthropic } = request;
    if (anthropic !== undefined && this.relayClient !== null) {
      const access = { name: this.name, client: this.relayClient };
      const settings = toParameters(request.parameters);
      return exchangeMessages(access, { ...request, model, anthropic }, settings, listener, signal);
    }
    const reader = new AnthropicReader(listener, model);
    await this.client.post(toBody(model, request), reader, signal, needsOf(request), request.traceparent);
    return reader.result;
  }

  override missingFeature(request: CompletionRequest): ModelFeature | null {
    return super.missingFeature(request) ?? unknownType(request);
  }

  override listModels(signal: AbortSignal): Promise<string[]> {
    const address = routeAddress(this.baseUrl.replace(/\/v1\/messages\/?$/, ''), '/v1/models');
    address.searchParams.set('limit', '1000');
    return readModels({ address, headers: this.headers, key: this.key }, this.targets, signal);
  }

  override relay(request: RelayRequest, signal: AbortSignal): Promise<RelayedAnswer> {
    return this.relayClient?.send(request, signal) ?? super.relay(request, signal);
  }

  override async retire(): Promise<void> {
    await Promise.all([this.client?.retire(), this.relayClient?.retire()]);
  }

  override async close(): Promise<void> {
    await Promise.all([this.client?.close(), this.relayClient?.close()]);
  }
}

function toBody(model: string, request: CompletionRequest): Record<string, unknown> {
  const { messages, parameters, responseFormat, adjustments } = request;
  const system = systemTexts(messages);
  const instruction = formInstruction(responseFormat);
  const instructions = instruction === null ? system : [...system, instruction];
  const body = {
    model,
    stream: true,
    ...toParameters(parameters),
    ...(instructions.length > 0 ? { system: instructions.join(BETWEEN_INSTRUCTIONS) } : {}),
    messages: toAnthropicTurns(messages),
    ...toAnthropicTools(request),
  };
  return adjustBody(body, adjustments);
}

/** The API accepts only a few types of images and files. */
function unknownType({ messages }: CompletionRequest): ModelFeature | null {
  const parts = messages.flatMap((message) => message.parts ?? []);
  const unknown = parts.find((part) => (part.type === 'image' || part.type === 'file') && !isAnthropicType(part));
  return unknown === undefined ? null : unknown.type === 'image' ? 'images' : 'files';
}

/** Omits settings that the API refuses (seed, penalties). The highest temperature is 1. */
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
