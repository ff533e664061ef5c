import { fake } from '../../../../test/support/fake';
import { Attention } from '../../../common/attention/attention';
import type { ProviderAdapters } from '../adapters/provider-adapters';
import { LlmConfig } from '../llm.config';
import { LanguageModelProvider } from '../port/language-model-provider';
import type { ProviderDefinition } from '../port/provider-definition';
import { ModelRegistry } from './model-registry';
import { environmentProviders } from './provider-directory';
import { ResilienceSettings } from './resilience';

/** A provider that records its release. */
class IdleProvider extends LanguageModelProvider {
  readonly isConfigured = true;
  readonly name: string;
  readonly defaultModel: string | null;
  readonly ended: string[] = [];

  constructor({ name, model }: ProviderDefinition) {
    super();
    this.name = name;
    this.defaultModel = model;
  }

  complete(): Promise<never> {
    return Promise.reject(new Error('Nobody asks it.'));
  }

  override retire(): Promise<void> {
    this.ended.push('retired');
    // Its last reply is still running.
    return new Promise(() => undefined);
  }

  override close(): Promise<void> {
    this.ended.push('closed');
    return Promise.resolve();
  }
}

describe('ModelRegistry', () => {
  const own: ProviderDefinition = {
    name: 'own',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: 'one',
    model: 'm',
    contextTokens: null,
    isDefault: false,
    isActive: true,
  };

  function registryOf(environment: Partial<LlmConfig> = {}): {
    registry: ModelRegistry;
    builtIn: ProviderDefinition[];
  } {
    const adapters = { create: (definition: ProviderDefinition) => new IdleProvider(definition) };
    const registry = new ModelRegistry(new ResilienceSettings(), fake<ProviderAdapters>(adapters), new Attention());
    const builtIn = environmentProviders(Object.assign(new LlmConfig(), environment));
    return { registry, builtIn };
  }

  it('keeps the connection and the breaker of a provider whose address is unchanged', () => {
    const { registry } = registryOf();
    registry.replace([own]);
    const before = registry.resolve({ provider: 'own' });
    expect(registry.replace([{ ...own, contextTokens: 9, isDefault: true }])).toEqual([]);
    expect(registry.resolve({})).toEqual(before);
    expect((before.provider as IdleProvider).ended).toEqual([]);
  });

  it.each([{ apiKey: 'two' }, { baseUrl: 'http://127.0.0.1:10/v1' }, { kind: 'anthropic' as const }, { model: 'n' }])(
    'resets with %j, lets running replies finish, and aborts them only when the process stops',
    async (change) => {
      const { registry } = registryOf();
      registry.replace([own]);
      const before = registry.resolve({ provider: 'own' });
      const fresh = registry.replace([{ ...own, ...change }]);
      expect(fresh.map(({ definition }) => definition.name)).toEqual(['own']);
      expect(registry.presentOf(before).provider).toBe(registry.resolve({ provider: 'own' }).provider);
      const { ended } = before.provider as IdleProvider;
      expect(ended).toEqual(['retired']);
      await registry.onApplicationShutdown();
      expect(ended).toEqual(['retired', 'closed']);
    },
  );

  it('also finds the provider from the environment by the name of its type, and always finds the demo provider', () => {
    const { registry, builtIn } = registryOf({ LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'x' });
    registry.replace(builtIn);
    expect(registry.defaultProvider).toBe('default');
    expect(registry.resolve({ provider: 'openai-compatible' }).provider.name).toBe('default');
    expect(registry.resolve({ provider: 'demo' }).provider.name).toBe('demo');
    expect(() => registry.resolve({ provider: 'anthropic' })).toThrow('PROVIDER_UNAVAILABLE');
  });

  it('calls no provider that is switched off', () => {
    const { registry } = registryOf();
    registry.replace([{ ...own, isActive: false }]);
    expect(() => registry.resolve({ provider: 'own' })).toThrow('PROVIDER_UNAVAILABLE');
    expect(registry.describe()).toMatchObject([{ provider: 'own', isConfigured: false }]);
  });
});
