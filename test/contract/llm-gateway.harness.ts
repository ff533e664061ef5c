import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Attention } from '../../src/common/attention/attention';
import { Clock } from '../../src/common/clock';
import { GuardPresence } from '../../src/common/guard-presence';
import type { ProviderAdapters } from '../../src/integrations/llm/adapters/provider-adapters';
import { ModelSpans } from '../../src/integrations/llm/generation/model-spans';
import { LanguageModels } from '../../src/integrations/llm/language-models';
import type { LlmConfig } from '../../src/integrations/llm/llm.config';
import type { GenerationRequest } from '../../src/integrations/llm/port/completion';
import type { GenerationResult } from '../../src/integrations/llm/port/completion';
import {
  type CompletionListener,
  type CompletionRequest,
  type CompletionResult,
  LanguageModelProvider,
} from '../../src/integrations/llm/port/language-model-provider';
import type { ModelFactEntity } from '../../src/integrations/llm/providers/model-fact.entity';
import type { ModelFactStore } from '../../src/integrations/llm/providers/model-knowledge';
import { ModelKnowledge } from '../../src/integrations/llm/providers/model-knowledge';
import { ModelRegistry } from '../../src/integrations/llm/providers/model-registry';
import { ResilienceSettings } from '../../src/integrations/llm/providers/resilience';
import { fake } from '../support/fake';
import type { ModelScript } from '../support/model-server/model-server';
import { NO_TRACING } from '../support/no-tracing';
import { type AdapterHarness, RecordingListener, requestFor } from './llm-provider.harness';

/** The result of a `FakeProvider` reply. */
export const ENDED: CompletionResult = { model: 'fake', finishReason: 'stop', usage: null };

/** Replaces the configured provider with scripted answers. */
export class FakeProvider extends LanguageModelProvider {
  readonly name = 'openai-compatible';
  readonly isConfigured = true;
  readonly defaultModel = 'fake';

  constructor(
    private readonly answer: (listener: CompletionListener, signal: AbortSignal) => Promise<CompletionResult>,
  ) {
    super();
  }

  complete(_request: CompletionRequest, listener: CompletionListener, signal: AbortSignal): Promise<CompletionResult> {
    return this.answer(listener, signal);
  }
}

export interface GatewayOptions {
  config?: Partial<LlmConfig>;
  settings?: Partial<ResilienceSettings>;
  providers?: LanguageModelProvider[];
  knowledge?: ModelKnowledge;
}

/** Learned model knowledge with its storage; `stored` exists from the start. */
export function createKnowledge(stored: Omit<ModelFactEntity, 'id'>[] = []): {
  knowledge: ModelKnowledge;
  facts: Omit<ModelFactEntity, 'id'>[];
} {
  const facts = [...stored];
  const store = {
    whenLoaded: (_since: () => Date, take: (loaded: Omit<ModelFactEntity, 'id'>[]) => void) => take(facts),
    save: (saved: Omit<ModelFactEntity, 'id'>[]) => void facts.push(...saved),
    deleteProvider: (provider: string) =>
      void facts.splice(0, facts.length, ...facts.filter((fact) => fact.provider !== provider)),
  };
  return { knowledge: new ModelKnowledge(new Clock(), fake<ModelFactStore>(store)), facts };
}

/** `LanguageModels` with the model server, with pauses short enough for tests. */
export function createGateway(harness: AdapterHarness, options: GatewayOptions = {}): LanguageModels {
  const config = harness.config('openai-compatible', options.config);
  const providers = options.providers ?? [
    harness.adapter('demo'),
    harness.adapter('openai-compatible', options.config),
  ];
  // It warns about every failed attempt, and here they all fail on purpose.
  Logger.overrideLogger(false);
  const settings = Object.assign(new ResilienceSettings(), { retryDelays: [20, 40], ...options.settings });
  const registry = registryOf(providers, settings, config.LLM_PROVIDER);
  return new LanguageModels(
    config,
    registry,
    settings,
    options.knowledge ?? createKnowledge().knowledge,
    new ModelSpans(NO_TRACING, new GuardPresence()),
  );
}

/** A registry with exactly these providers; the default one has this name. */
function registryOf(
  providers: LanguageModelProvider[],
  settings: ResilienceSettings,
  defaultName: string | null,
): ModelRegistry {
  const create = ({ name }: { name: string }) => providers.filter((provider) => provider.name === name)[0]!;
  const registry = new ModelRegistry(settings, fake<ProviderAdapters>({ create }), new Attention());
  registry.replace(
    providers.map(({ name, defaultModel }) => ({
      name,
      kind: name === 'anthropic' || name === 'demo' ? name : 'openai-compatible',
      baseUrl: null,
      apiKey: null,
      model: defaultModel,
      contextTokens: null,
      isDefault: name === defaultName,
      isActive: true,
    })),
  );
  return registry;
}

export function generationFor(key: string, overrides: Partial<GenerationRequest> = {}): GenerationRequest {
  return { ...requestFor(key), provider: null, ...overrides };
}

export interface GenerationRun {
  key: string;
  listener: RecordingListener;
  result: Promise<GenerationResult>;
  /** The requests that the provider has received for it so far. */
  requestCount(): Promise<number>;
}

/** Starts one generation with scripts for its requests, in order. */
export async function run(
  harness: AdapterHarness,
  gateway: LanguageModels,
  scripts: ModelScript[],
  options: { request?: Partial<GenerationRequest>; signal?: AbortSignal; onFirstText?: () => void } = {},
): Promise<GenerationRun> {
  const key = randomUUID();
  for (const script of scripts) {
    await harness.modelServer.script({ key, times: 1, ...script });
  }
  const listener = new RecordingListener(options.onFirstText);
  const signal = options.signal ?? new AbortController().signal;
  const result = gateway.generate(generationFor(key, options.request), listener, signal);
  // The caller awaits it later; until then a rejection must not count as unhandled.
  result.catch(() => undefined);
  return { key, listener, result, requestCount: async () => (await harness.modelServer.requests(key)).length };
}
