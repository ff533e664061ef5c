import type { EmbeddingRequest, EmbeddingResult } from '../port/embedding';
import {
  type CompletionListener,
  type CompletionRequest,
  type CompletionResult,
  LanguageModelProvider,
} from '../port/language-model-provider';
import { ProviderUnavailableError } from '../port/llm.errors';
import { adjustBody } from '../port/parameter-adjustment';
import type { ProviderDefinition } from '../port/provider-definition';
import { needsOf } from '../port/request-features';
import type { ProviderTargets } from '../providers/provider-targets';
import { EmbeddingsClient } from './embeddings-client';
import { EventStreamClient, routeAddress } from './event-stream-client';
import { readModels } from './model-list';
import { OpenAiCompatibleReader } from './openai-compatible-reader';
import { toOpenAiMessages } from './requests/openai-messages';
import { toOpenAiTools } from './requests/openai-tools';

const ROUTE = '/chat/completions';

/**
 * Any server with OpenAI's `/chat/completions`: OpenAI, Azure, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter and
 * others.
 */
export class OpenAiCompatibleProvider extends LanguageModelProvider {
  readonly name: string;
  readonly defaultModel: string | null;
  override readonly address: string | null;
  override readonly host: string | null = null;
  private readonly key: string | null;
  private readonly route: URL | null = null;
  private readonly client: EventStreamClient | null = null;
  private readonly embeddings: EmbeddingsClient | null = null;
  override readonly canEmbed = true;

  constructor(
    { name, baseUrl, apiKey, model }: ProviderDefinition,
    private readonly targets: ProviderTargets,
  ) {
    super();
    this.name = name;
    this.defaultModel = model;
    this.key = apiKey;
    this.address = baseUrl;
    if (baseUrl !== null) {
      this.route = routeAddress(baseUrl, ROUTE);
      this.host = this.route.host;
      this.client = new EventStreamClient(
        { address: this.route, headers: keyHeaders(this.route, apiKey), key: apiKey },
        targets,
      );
      const address = siblingOf(this.route, '/embeddings');
      this.embeddings = new EmbeddingsClient({ address, headers: keyHeaders(address, apiKey), key: apiKey }, targets);
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
    const reader = new OpenAiCompatibleReader(listener, model);
    await this.client.post(toBody(model, request), reader, signal, needsOf(request), request.traceparent);
    return reader.result;
  }

  override listModels(signal: AbortSignal): Promise<string[]> {
    if (this.route === null) {
      throw new ProviderUnavailableError();
    }
    const address = siblingOf(this.route, '/models');
    return readModels({ address, headers: keyHeaders(address, this.key), key: this.key }, this.targets, signal);
  }

  override embed(request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingResult> {
    return this.embeddings === null ? super.embed(request, signal) : this.embeddings.embed(request, signal);
  }

  override async retire(): Promise<void> {
    await this.client?.retire();
  }

  override async close(): Promise<void> {
    await Promise.all([this.client?.close(), this.embeddings?.close()]);
  }
}

/** Another route of the same API. */
function siblingOf(route: URL, path: string): URL {
  const address = new URL(route);
  address.pathname = `${address.pathname.slice(0, -ROUTE.length)}${path}`;
  return address;
}

function toBody(model: string, request: CompletionRequest): Record<string, unknown> {
  const body = {
    ...request.parameters,
    model,
    messages: toOpenAiMessages(request.messages, request.adjustments),
    ...toOpenAiTools(request),
    stream: true,
    stream_options: { include_usage: true },
  };
  return adjustBody(body, request.adjustments);
}

/**
 * Azure (host names `*.azure.com`) accepts an API key only in `api-key`; in `Authorization` it expects a token of its
 * own directory. All other servers accept the key as a bearer token.
 */
export function keyHeaders(address: URL, key: string | null): Record<string, string> {
  if (key === null) {
    return {};
  }
  return address.hostname.endsWith('.azure.com') ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}
