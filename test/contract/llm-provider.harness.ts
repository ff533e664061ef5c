import { randomUUID } from 'node:crypto';
import { SystemNameResolver } from '../../src/common/network/network.module';
import { AnthropicProvider } from '../../src/integrations/llm/adapters/anthropic-provider';
import { DemoProvider } from '../../src/integrations/llm/adapters/demo-provider';
import { OpenAiCompatibleProvider } from '../../src/integrations/llm/adapters/openai-compatible-provider';
import { TokenCounter } from '../../src/integrations/llm/counting/token-counter';
import { LlmConfig } from '../../src/integrations/llm/llm.config';
import type { CalledModel } from '../../src/integrations/llm/port/called-model';
import type {
  CompletionListener,
  CompletionRequest,
  CompletionResult,
  LanguageModelProvider,
} from '../../src/integrations/llm/port/language-model-provider';
import { environmentProviders } from '../../src/integrations/llm/providers/provider-directory';
import { ProviderTargets } from '../../src/integrations/llm/providers/provider-targets';
import { type ModelScript, type ModelServer, startModelServer } from '../support/model-server/model-server';

export type AdapterName = 'demo' | 'openai-compatible' | 'anthropic';
export const NETWORK_ADAPTERS = ['openai-compatible', 'anthropic'] as const;
export const API_KEY = 'secret-key-of-the-provider';

/** Collects what a listener receives. */
export class RecordingListener implements CompletionListener {
  readonly texts: string[] = [];
  readonly reasonings: string[] = [];
  /** Model calls and their failures, in order. */
  readonly attempts: string[] = [];
  /** A copy of the current requests. */
  readonly requests: CalledModel[] = [];
  activities = 0;

  /** @param onFirstText called once, with the first text */
  constructor(private readonly onFirstText: () => void = () => undefined) {}

  get text(): string {
    return this.texts.join('');
  }

  get reasoning(): string {
    return this.reasonings.join('');
  }

  onCall(asked: CalledModel): void {
    this.requests.push(asked);
    this.attempts.push('asked');
  }

  onFailed(): void {
    this.attempts.push('failed');
  }

  onText(text: string): void {
    this.texts.push(text);
    if (this.texts.length === 1) {
      this.onFirstText();
    }
  }

  onReasoning(text: string): void {
    this.reasonings.push(text);
  }

  onActivity(): void {
    this.activities++;
  }
}

export interface RecordedCall {
  id: string;
  name: string;
  arguments: string;
}

/** A listener that accepts function calls too. */
export class CallListener extends RecordingListener {
  readonly calls: RecordedCall[] = [];

  onToolCall(index: number, { id, name }: { id: string; name: string }): void {
    expect(index).toBe(this.calls.length);
    this.calls.push({ id, name, arguments: '' });
  }

  onToolArguments(index: number, text: string): void {
    expect(text).not.toBe('');
    (this.calls[index] as RecordedCall).arguments += text;
  }
}

/** Any host except the one in the link. */
function providerTargets(): ProviderTargets {
  return new ProviderTargets(new LlmConfig(), new SystemNameResolver());
}

/** The model server and the adapters that call it; one for each test file. */
export class AdapterHarness {
  private readonly closeActions: (() => Promise<void>)[] = [];

  private constructor(readonly modelServer: ModelServer) {}

  static async start(): Promise<AdapterHarness> {
    return new AdapterHarness(await startModelServer());
  }

  /** Settings with the address of the model server. */
  config(name: AdapterName, overrides: Partial<LlmConfig> = {}): LlmConfig {
    return Object.assign(new LlmConfig(), {
      LLM_PROVIDER: name,
      LLM_BASE_URL: name === 'anthropic' ? this.modelServer.anthropicUrl : this.modelServer.openAiUrl,
      LLM_API_KEY: API_KEY,
      LLM_MODEL: 'test-model',
      ...overrides,
    });
  }

  adapter(name: AdapterName, overrides: Partial<LlmConfig> = {}): LanguageModelProvider {
    if (name === 'demo') {
      const counter = new TokenCounter();
      this.closeActions.push(() => counter.onApplicationShutdown());
      return new DemoProvider(counter);
    }
    const Adapter = name === 'anthropic' ? AnthropicProvider : OpenAiCompatibleProvider;
    const [definition] = environmentProviders(this.config(name, overrides));
    const adapter = new Adapter({ ...definition, name }, providerTargets());
    this.closeActions.push(() => adapter.close());
    return adapter;
  }

  /** Runs one scripted completion with its own key. */
  async complete<Listener extends RecordingListener = RecordingListener>(
    name: (typeof NETWORK_ADAPTERS)[number],
    script: ModelScript,
    request: Partial<CompletionRequest> = {},
    listener: Listener = new RecordingListener() as Listener,
  ): Promise<{ result: CompletionResult; listener: Listener; key: string }> {
    const key = randomUUID();
    await this.modelServer.script({ key, ...script });
    const messages = [...(request.messages ?? []), ...requestFor(key).messages];
    const signal = new AbortController().signal;
    const result = await this.adapter(name).complete({ ...requestFor(key), ...request, messages }, listener, signal);
    return { result, listener, key };
  }

  async close(): Promise<void> {
    await Promise.all(this.closeActions.map((close) => close()));
    await this.modelServer.close();
  }
}

/** A request whose only message is `content`. */
export function requestFor(content: string): CompletionRequest {
  return { model: null, messages: [{ role: 'user', content }], parameters: {} };
}

/** Resolves with the rejection of `promise`; fails the test if it does not reject. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('The promise resolved, though it should have been rejected.');
}
