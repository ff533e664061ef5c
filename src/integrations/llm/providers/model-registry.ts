import { isDeepStrictEqual } from 'node:util';
import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { Attention, type AttentionItem } from '../../../common/attention/attention';
import { ProviderAdapters } from '../adapters/provider-adapters';
import type { LanguageModelProvider } from '../port/language-model-provider';
import { ProviderUnavailableError } from '../port/llm.errors';
import type { ModelFeature } from '../port/message-parts';
import type { ModelReference, ModelsOfAgent, NamedModel } from '../port/model-reference';
import {
  ENVIRONMENT_PROVIDER,
  fallbackPrefix,
  PROVIDER_KINDS,
  type ProviderDefinition,
  type ProviderKind,
} from '../port/provider-definition';
import type { RequestContent } from '../port/request-features';
import { ProviderHealth, type ProviderOutcome } from './provider-outcome';
import { type CircuitName, ProviderBreaker, ProviderRestraint, ResilienceSettings } from './resilience';

/** Retry-After for a missing configuration, the time that an administrator may need. */
const RECONFIGURATION_SECONDS = 60;

/** A provider in use, with the state that all its models share. */
export interface ProviderEntry {
  definition: ProviderDefinition;
  provider: LanguageModelProvider;
  breaker: ProviderBreaker;
  restraint: ProviderRestraint;
  health: ProviderHealth;
}

/** A model of a provider. */
export interface ModelCandidate extends Omit<ProviderEntry, 'definition'> {
  model: string;
}

/** For administrators: a provider's default model and its state. */
export interface ProviderDescription {
  provider: string;
  kind: ProviderKind;
  /** Null without a network. */
  host: string | null;
  model: string | null;
  isConfigured: boolean;
  circuit: CircuitName;
  /** The last request of this instance; null before the first one. */
  lastOutcome: ProviderOutcome | null;
  /** Whether this instance has read its list of models; null: it has not tried, or there is none. */
  isReachable: boolean | null;
  /** When it last sent this instance a reply; null: it has sent none. */
  answeredAt: Date | null;
}

/** The providers by name, each with its circuit breaker. They may be replaced while replies run. */
@Injectable()
export class ModelRegistry implements OnApplicationShutdown {
  private entries = new Map<string, ProviderEntry>();
  /** Replaced providers whose last replies still run. */
  private readonly retiring = new Set<LanguageModelProvider>();

  constructor(
    private readonly settings: ResilienceSettings,
    private readonly adapters: ProviderAdapters,
    attention: Attention,
  ) {
    attention.add(() => [...this.entries.values()].flatMap(attentionOf));
  }

  /** The name of the default provider. */
  get defaultProvider(): string {
    const entries = [...this.entries.values()];
    return entries.find(({ definition }) => definition.isDefault)?.definition.name ?? ENVIRONMENT_PROVIDER;
  }

  /**
   * Replaces all providers. A provider with the same address, key and model keeps its connections and its breaker; the
   * others end after their running replies.
   *
   * @returns the providers that are new or have another address, key or model
   */
  replace(definitions: readonly ProviderDefinition[]): ProviderEntry[] {
    const earlier = this.entries;
    const fresh: ProviderEntry[] = [];
    this.entries = new Map(
      definitions.map((definition) => {
        const present = earlier.get(definition.name);
        if (present && isDeepStrictEqual(accessOf(present.definition), accessOf(definition))) {
          return [definition.name, { ...present, definition }];
        }
        const entry = {
          definition,
          provider: this.adapters.create(definition),
          breaker: new ProviderBreaker(this.settings),
          restraint: new ProviderRestraint(definition.name, this.settings),
          health: new ProviderHealth(),
        };
        fresh.push(entry);
        return [definition.name, entry];
      }),
    );
    const kept = new Set([...this.entries.values()].map(({ provider }) => provider));
    [...earlier.values()]
      .filter(({ provider }) => !kept.has(provider))
      .forEach(({ provider }) => this.retire(provider));
    return fresh;
  }

  /** All providers by name. Each change creates a new map. */
  get providers(): ReadonlyMap<string, ProviderEntry> {
    return this.entries;
  }

  /** Finds a provider by name. The environment's provider is also found by its kind, its former name. */
  find(name: string): ProviderEntry | undefined {
    const environments = this.entries.get(ENVIRONMENT_PROVIDER);
    return this.entries.get(name) ?? (environments?.definition.kind === name ? environments : undefined);
  }

  /** @throws ProviderUnavailableError if the provider is unknown, inactive, not configured, or has no model to use */
  resolve(reference: ModelReference): ModelCandidate {
    const name = reference.provider ?? this.defaultProvider;
    const entry = this.find(name);
    if (entry === undefined || !entry.definition.isActive || !entry.provider.isConfigured) {
      throw unusable(`The model provider "${name}" is unknown, switched off or not configured.`);
    }
    const model = reference.model ?? entry.provider.defaultModel;
    if (model === null) {
      throw unusable(`No model is named for the provider "${name}".`);
    }
    return candidateOf(entry, model);
  }

  /** The models of a request in the order in which they are called. */
  referencesOf({ provider, model, fallbackModels = [] }: ModelsOfAgent): ModelReference[] {
    return [{ provider, model }, ...fallbackModels.map((fallback) => this.parse(fallback, provider))];
  }

  /** The models of a request by name, without those of unknown providers. */
  candidatesOf(models: ModelsOfAgent): NamedModel[] {
    return this.referencesOf(models).flatMap(({ provider, model }) => {
      const found = this.find(provider ?? this.defaultProvider)?.provider;
      const named = model ?? found?.defaultModel ?? null;
      return found === undefined || named === null ? [] : [{ provider: found.name, model: named }];
    });
  }

  /**
   * A feature that the first provider lacks, if no other provider has it either; null if some model may be able to
   * answer.
   */
  missingFeature(request: ModelsOfAgent & RequestContent): ModelFeature | null {
    const missing = this.referencesOf(request)
      .map(({ provider }) => this.find(provider ?? this.defaultProvider)?.provider)
      .map((provider) => provider?.missingFeature(request) ?? null);
    return missing.includes(null) ? null : (missing[0] ?? null);
  }

  /** The candidate with the current definition of its provider. */
  presentOf(candidate: ModelCandidate): ModelCandidate {
    const present = this.entries.get(candidate.provider.name);
    return present ? candidateOf(present, candidate.model) : candidate;
  }

  /**
   * Parses a fallback entry: an object, `provider:model`, or a model of the same provider. A model name may contain
   * colons (`llama3:8b`), so the first part counts as a provider only if a provider has this name.
   */
  parse(fallback: string | ModelReference, sameProvider: string | null): ModelReference {
    if (typeof fallback !== 'string') {
      return fallback;
    }
    const prefix = fallbackPrefix(fallback);
    const isProvider = this.entries.has(prefix) || PROVIDER_KINDS.some((kind) => kind === prefix);
    return isProvider
      ? { provider: prefix, model: fallback.slice(prefix.length + 1) }
      : { provider: sameProvider, model: fallback };
  }

  describe(): ProviderDescription[] {
    return [...this.entries.values()].map(({ definition, provider, breaker, health }) => ({
      provider: definition.name,
      kind: definition.kind,
      host: provider.host,
      model: provider.defaultModel,
      isConfigured: definition.isActive && provider.isConfigured,
      circuit: breaker.circuit,
      lastOutcome: health.last,
      isReachable: health.isReachable,
      answeredAt: health.answeredAt,
    }));
  }

  async onApplicationShutdown(): Promise<void> {
    const providers = [...this.entries.values()].map(({ provider }) => provider);
    await Promise.all([...providers, ...this.retiring].map((provider) => provider.close()));
  }

  private retire(provider: LanguageModelProvider): void {
    this.retiring.add(provider);
    const forget = (): void => void this.retiring.delete(provider);
    provider.retire().then(forget, forget);
  }
}

function candidateOf({ provider, breaker, restraint, health }: ProviderEntry, model: string): ModelCandidate {
  return { provider, breaker, restraint, health, model };
}

/** The parts of a definition that decide the connection. If one changes, all learned facts are void. */
function accessOf({ kind, baseUrl, apiKey, model }: ProviderDefinition): Partial<ProviderDefinition> {
  return { kind, baseUrl, apiKey, model };
}

/** Only an administrator can fix this, so callers should retry later. */
function unusable(reason: string): ProviderUnavailableError {
  return new ProviderUnavailableError({}, { cause: new Error(reason), retryAfterSeconds: RECONFIGURATION_SECONDS });
}

/** This many failed requests in a row are no coincidence. */
const MANY_FAILURES = 5;

interface Watched {
  definition: Pick<ProviderDefinition, 'name' | 'isActive'>;
  health: ProviderHealth;
}

/** What an administrator should know about an active provider. */
function attentionOf({ definition, health }: Watched): AttentionItem[] {
  const { name, isActive } = definition;
  if (!isActive) return [];
  const { last, downSince, failing } = health;
  if (last?.isDown && last.reason === 'key_refused') {
    return [{ kind: 'provider_key_refused', since: downSince, count: 1, target: name }];
  }
  const models = [...failing].filter(([, { count }]) => count >= MANY_FAILURES);
  if (last?.isDown && models.length === 0) {
    return [{ kind: 'provider_failing', since: downSince, count: 1, target: name }];
  }
  return models.map(([model, { count, since }]) => ({
    kind: 'model_failing',
    since,
    count,
    target: `${name}:${model}`,
  }));
}
