import type { LlmConfig } from './llm.config';
import { DEMO_PROVIDER, ENVIRONMENT_PROVIDER, type ProviderDefinition } from './provider-definition';

/** The providers that are there without anybody's doing: the one of `LLM_*`, and the demo. */
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
