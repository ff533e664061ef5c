import type { LanguageModelProvider } from './language-model-provider';
import { ProviderUnavailableError } from './llm.errors';
import { type CircuitName, ProviderBreaker } from './provider-breaker';
import type { ResilienceSettings } from './resilience.settings';

/** How long it may take until somebody has mended the configuration. */
const RECONFIGURATION_SECONDS = 60;

/** A model of a provider, and the breaker all models of that provider share. */
export interface ModelCandidate {
  provider: LanguageModelProvider;
  model: string;
  breaker: ProviderBreaker;
}

/** Names a model of a provider; null or absent parts mean the default ones. */
export interface ModelReference {
  provider?: string | null;
  model?: string | null;
}

/** For an administrator: what a provider would answer with, and whether it is being left alone. */
export interface ProviderDescription {
  provider: string;
  model: string | null;
  configured: boolean;
  circuit: CircuitName;
}

/** The providers by name, each with its circuit breaker. */
export class ModelRegistry {
  private readonly entries: Map<string, { provider: LanguageModelProvider; breaker: ProviderBreaker }>;

  constructor(
    providers: readonly LanguageModelProvider[],
    readonly defaultProvider: string,
    settings: ResilienceSettings,
  ) {
    this.entries = new Map(
      providers.map((provider) => [provider.name, { provider, breaker: new ProviderBreaker(settings) }]),
    );
  }

  /** The model that is meant; undefined where there is no such provider, or no model to use. */
  find(reference: ModelReference): ModelCandidate | undefined {
    const entry = this.entries.get(reference.provider ?? this.defaultProvider);
    const model = reference.model ?? entry?.provider.defaultModel ?? null;
    return entry === undefined || model === null ? undefined : { ...entry, model };
  }

  /** @throws ProviderUnavailableError when the provider is unknown, not configured, or has no model to use. */
  resolve(reference: ModelReference): ModelCandidate {
    const name = reference.provider ?? this.defaultProvider;
    const entry = this.entries.get(name);
    if (entry === undefined || !entry.provider.isConfigured) {
      throw unusable(`The model provider "${name}" is not configured.`);
    }
    const model = reference.model ?? entry.provider.defaultModel;
    if (model === null) {
      throw unusable(`No model is named for the provider "${name}".`);
    }
    return { ...entry, model };
  }

  /**
   * Reads a fallback entry: an object, `provider:model`, or a model of the same provider. Model names may hold colons
   * themselves (`llama3:8b`), so the part before the first one counts as a provider only if there is such a provider.
   */
  parse(fallback: string | ModelReference, sameProvider: string | null): ModelReference {
    if (typeof fallback !== 'string') {
      return fallback;
    }
    const colon = fallback.indexOf(':');
    const prefix = fallback.slice(0, Math.max(colon, 0));
    return this.entries.has(prefix)
      ? { provider: prefix, model: fallback.slice(colon + 1) }
      : { provider: sameProvider, model: fallback };
  }

  describe(): ProviderDescription[] {
    return [...this.entries.values()].map(({ provider, breaker }) => ({
      provider: provider.name,
      model: provider.defaultModel,
      configured: provider.isConfigured,
      circuit: breaker.circuit,
    }));
  }
}

/** Only an administrator can help; the caller is told to come back after the time in which one may. */
function unusable(reason: string): ProviderUnavailableError {
  return new ProviderUnavailableError({}, { cause: new Error(reason), retryAfterSeconds: RECONFIGURATION_SECONDS });
}
