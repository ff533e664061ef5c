import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { ServiceSecret } from '../../../common/security/service-secret';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { LlmConfig } from '../llm.config';
import { DEMO_PROVIDER, ENVIRONMENT_PROVIDER, type ProviderDefinition } from '../port/provider-definition';
import { ManagedProviderStore } from './managed-provider.store';
import { ModelKnowledge } from './model-knowledge';
import { ModelRegistry, type ProviderEntry } from './model-registry';
import { ProviderProbe } from './provider-probe';

/** Pause between two readings of the table. Without Redis a change takes this long to reach other instances. */
const REFRESH_MILLISECONDS = 3_000;
const CHANNEL = 'model_providers';

/** Keeps the registry of each instance equal to the environment and the table of managed providers. */
@Injectable()
export class ProviderDirectory implements OnApplicationBootstrap {
  private readonly logger = new Logger(ProviderDirectory.name);
  /** New providers to try when the application is up; null after that, when each new one is tried at once. */
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

  /** Call it after a committed change. The change holds here when this resolves, and everywhere within five seconds. */
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
    // The first reading is not a change: the learned facts about the models still hold.
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
    this.apply(definitions, isChange);
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
