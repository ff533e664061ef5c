import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import {
  LanguageModelProvider,
  type CompletionListener,
  type CompletionRequest,
  type CompletionResult,
} from '../language-model-provider';
import { LlmConfig } from '../llm.config';
import { ProviderUnavailableError } from '../llm.errors';
import { adjustBody } from '../parameter-adjustment';
import { EventStreamClient, routeAddress } from './event-stream.client';
import { OpenAiCompatibleReader } from './openai-compatible.reader';

/**
 * Any server with OpenAI's `/chat/completions`: OpenAI, Azure, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter and others.
 * Besides being the default provider it serves agents that name it while the default is `demo`.
 */
@Injectable()
export class OpenAiCompatibleProvider extends LanguageModelProvider implements OnApplicationShutdown {
  readonly name = 'openai-compatible';
  readonly defaultModel: string | null;
  override readonly address: string | null;
  private readonly client: EventStreamClient | null = null;

  constructor(config: LlmConfig) {
    super();
    const isMine = config.LLM_PROVIDER !== 'anthropic';
    this.defaultModel = isMine ? config.LLM_MODEL : null;
    this.address = isMine ? config.LLM_BASE_URL : null;
    if (isMine && config.LLM_BASE_URL !== null) {
      const address = routeAddress(config.LLM_BASE_URL, '/chat/completions');
      this.client = new EventStreamClient(address, keyHeaders(address, config.LLM_API_KEY), config.LLM_API_KEY);
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
    await this.client.post(toBody(model, request), reader, signal);
    return reader.result;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client?.close();
  }
}

function toBody(model: string, { messages, parameters, adjustments }: CompletionRequest): Record<string, unknown> {
  const body = { ...parameters, model, messages, stream: true, stream_options: { include_usage: true } };
  return adjustBody(body, adjustments);
}

/**
 * Azure takes an API key only in `api-key`, and would read `Authorization` as a token of its own directory; everybody
 * else takes it as a bearer token. Told apart by the host name, `*.azure.com`.
 */
export function keyHeaders(address: URL, key: string | null): Record<string, string> {
  if (key === null) {
    return {};
  }
  return address.hostname.endsWith('.azure.com') ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}
