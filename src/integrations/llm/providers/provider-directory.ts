import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { ServiceSecret } from '../../../common/security/service-secret';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { LlmConfig } from '../llm.config';
import { ModelProviderError } from '../port/llm.errors';
import { DEMO_PROVIDER, ENVIRONMENT_PROVIDER, type ProviderDefinition } from '../port/provider-definition';
import { ManagedProviderStore } from './managed-provider.store';
import { ModelKnowledge } from './model-knowledge';
import { ModelRegistry, type ProviderEntry } from './model-registry';
import { hasNoList, providerSentence } from './provider-outcome';

/** Time limit of one try. */
const TRY_MILLISECONDS = 10_000;

/**
 * Tries each provider once, in the background. It requests the list of models, which costs nothing and loads no model.
 * The log gets one line for each provider.
 */
@Injectable()
export class ProviderProbe implements OnApplicationShutdown {
  private readonly logger = new Logger(ProviderProbe.name);
  private readonly end = new AbortController();

  /** Returns immediately. Skips the demo and inactive providers. */
  try(entries: ProviderEntry[]): void {
    entries
      .filter(({ definition, provider }) => definition.isActive && provider.host !== null)
      .forEach((entry) => void this.tryOne(entry));
  }

  onApplicationShutdown(): void {
    this.end.abort();
  }

  private async tryOne({ definition, provider, health }: ProviderEntry): Promise<void> {
    const who = { provider: definition.name, host: provider.host };
    try {
      const models = await provider.listModels(
        AbortSignal.any([this.end.signal, AbortSignal.timeout(TRY_MILLISECONDS)]),
      );
      health.listed();
      this.reportModel({ ...who, model: definition.model }, models);
    } catch (error) {
      if (this.end.signal.aborted || !(error instanceof ModelProviderError)) {
        return;
      }
      health.notListed(error);
      if (hasNoList(error)) {
        this.logger.log(who, 'A model provider answers but lists no models: the first reply will show the rest.');
        return;
      }
      const status = error.providerStatus;
      this.logger.warn({ ...who, status, answer: providerSentence(error) }, sentenceFor(status));
    }
  }

  private reportModel(found: { provider: string; host: string | null; model: string | null }, models: string[]): void {
    const { model } = found;
    if (model === null || models.includes(model) || models.includes(`${model}:latest`)) {
      this.logger.log(found, 'A model provider can be reached.');
    } else {
      this.logger.warn(found, 'A model provider answers but does not list the model: check its name.');
    }
  }
}

function sentenceFor(status: number | null): string {
  if (status === 401 || status === 403) {
    return 'A model provider refuses the key.';
  }
  return status === null ? 'A model provider cannot be reached.' : 'A model provider fails.';
}

/** Pause between two readings of the table. Without Redis a change takes this long to reach other instances. */
const REFRESH_MILLISECONDS = 3_000;
const CHANNEL = 'model_providers';

/** Keeps the registry of each instance in sync with the environment and the table of managed providers. */
@Injectable()
export class ProviderDirectory implements OnApplicationBootstrap {
  private readonly logger = new Logger(ProviderDirectory.name);
  /** New providers to try when the application is up; null after that, when each new one is tried immediately. */
  private untried: ProviderEntry[] | null = [];
  private unreadable = new Set<string>();
  private readings = 0;
  private applied = 0;

  constructor(
    private readonly config: LlmConfig,
    private readonly store: ManagedProviderStore,
    private readonly registry: ModelRegistry,
    private readonly knowledge: ModelKnowledge,
    private readonly probe: ProviderProbe,
    private readonly redis: RedisConnection,
    database: Database,
    serviceSecret: ServiceSecret,
    background: BackgroundWork,
  ) {
    this.apply([], false);
    database.onReady(async () => {
      if (serviceSecret.isBeingRotated) {
        await this.store.renewKeys();
      }
      await this.reload();
    });
    redis.subscribe(CHANNEL, () => void this.reload().catch((error: unknown) => this.report(error)));
    background.add({
      step: () => this.reload().then(() => null),
      onError: (error) => this.report(error),
      idleMilliseconds: REFRESH_MILLISECONDS,
    });
  }

  onApplicationBootstrap(): void {
    const untried = this.untried ?? [];
    this.untried = null;
    this.probe.try(untried);
  }

  /**
   * The environment's provider and the demo.
   *
   * @param isDefault whether no managed provider is the default
   */
  environment(isDefault: boolean): ProviderDefinition[] {
    return environmentProviders(this.config).map((definition) => ({
      ...definition,
      isDefault: definition.isDefault && isDefault,
    }));
  }

  /**
   * Call it after a committed change. The change applies here when this resolves, and everywhere within five seconds.
   */
  async changed(): Promise<void> {
    await this.reload();
    this.redis.publish(CHANNEL, 'changed');
  }

  /** Reads the table again. */
  async reload(): Promise<void> {
    const reading = ++this.readings;
    const rows = await this.store.all();
    // A reading that began earlier but ends later has older rows.
    if (reading < this.applied) {
      return;
    }
    // The first reading is not a change: the learned facts about the models are still valid.
    const isChange = this.applied > 0;
    this.applied = reading;
    const definitions = rows.map((row) => this.store.toDefinition(row));
    const unreadable = rows.filter((row) => row.apiKey !== null && this.store.keyOf(row) === null);
    unreadable
      .filter(({ name }) => !this.unreadable.has(name))
      .forEach(({ name }) =>
        this.logger.error(
          { provider: name },
          'The key of a model provider was encrypted with another JWT_SECRET: set the key again.',
        ),
      );
    this.unreadable = new Set(unreadable.map(({ name }) => name));
    if (!isChange) {
      this.reportDefault(definitions.find(({ isDefault }) => isDefault));
    }
    this.apply(definitions, isChange);
  }

  /** At the start: which provider replies unless an agent names another one. */
  private reportDefault(managed: ProviderDefinition | undefined): void {
    const { providerKind, LLM_MODEL } = this.config;
    if (managed) {
      const { name, model } = managed;
      this.logger.log({ provider: name, model }, 'Replies come from the default model provider.');
    } else if (providerKind === 'demo') {
      this.logger.warn(
        'Replies come from the built-in demo provider. Make another provider the default: under /admin/providers, or in the ' +
          'console (Administration, Providers) where there is one. LLM_PROVIDER, LLM_BASE_URL, LLM_API_KEY and LLM_MODEL set one up at start.',
      );
    } else {
      this.logger.log({ provider: providerKind, model: LLM_MODEL }, 'Replies come from the model provider of LLM_*.');
    }
  }

  private apply(managed: ProviderDefinition[], isChange: boolean): void {
    const hasDefault = managed.some(({ isDefault }) => isDefault);
    const fresh = this.registry.replace([...this.environment(!hasDefault), ...managed]);
    if (isChange) {
      // The facts under this name were learned from another address, key or model.
      fresh.forEach(({ definition }) => this.knowledge.forget(definition.name));
    }
    if (this.untried === null) {
      this.probe.try(fresh);
    } else {
      this.untried = [...this.untried.filter(({ definition }) => !hasName(fresh, definition.name)), ...fresh];
    }
  }

  private report(error: unknown): void {
    this.logger.warn({ error }, 'The model providers could not be read.');
  }
}

/** The provider of `LLM_*`, and the demo. */
export function environmentProviders(config: LlmConfig): [ProviderDefinition, ProviderDefinition] {
  const kind = config.providerKind;
  const shared = { baseUrl: null, apiKey: null, contextTokens: null, isActive: true };
  const demo = { ...shared, kind: 'demo' as const, model: 'demo', isDefault: false };
  return [
    kind === 'demo'
      ? { ...demo, name: ENVIRONMENT_PROVIDER, isDefault: true }
      : {
          ...shared,
          name: ENVIRONMENT_PROVIDER,
          kind,
          baseUrl: config.LLM_BASE_URL,
          apiKey: config.LLM_API_KEY,
          model: config.LLM_MODEL,
          isDefault: true,
        },
    { ...demo, name: DEMO_PROVIDER },
  ];
}

function hasName(entries: ProviderEntry[], name: string): boolean {
  return entries.some(({ definition }) => definition.name === name);
}
