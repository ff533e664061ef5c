export const PROVIDER_KINDS = ['openai-compatible', 'anthropic', 'demo'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Longest name of a provider, in characters. */
export const LONGEST_PROVIDER_NAME = 64;

/** The provider that `LLM_*` describes. */
export const ENVIRONMENT_PROVIDER = 'default';

/** The built-in provider that needs no network. */
export const DEMO_PROVIDER = 'demo';

/** Names that administrators cannot use: the two above, and the kinds. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([ENVIRONMENT_PROVIDER, DEMO_PROVIDER, ...PROVIDER_KINDS]);

/**
 * Features of Anthropic's API whose state a provider keeps for the whole organization, so that callers would share it.
 * Administrators enable them.
 */
export const ANTHROPIC_FEATURES = ['container', 'mcp_servers', 'files', 'code_execution'] as const;

export type AnthropicFeature = (typeof ANTHROPIC_FEATURES)[number];

/** The address of a provider, and when it is used. */
export interface ProviderDefinition {
  /** The name that agents use. */
  name: string;
  kind: ProviderKind;
  /** Null for `demo`, and for the default address of `anthropic`. */
  baseUrl: string | null;
  apiKey: string | null;
  /** The model for agents that specify none; null: agents must specify one. */
  model: string | null;
  /** Tokens of prompt and reply together that its models accept; null: `LLM_CONTEXT_TOKENS`. */
  contextTokens: number | null;
  /** Features of Anthropic's API that callers share, and that are enabled for it; absent: none. */
  anthropicFeatures?: readonly AnthropicFeature[];
  /** Whether it answers for agents that specify no provider. */
  isDefault: boolean;
  /** Whether it may be called at all. */
  isActive: boolean;
}

/** The default address of each kind; null: none. */
const USUAL_ADDRESSES: Record<ProviderKind, string | null> = {
  'openai-compatible': null,
  anthropic: 'https://api.anthropic.com',
  demo: null,
};

/** The address at which a provider is called; null: none. */
export function addressOf({ kind, baseUrl }: Pick<ProviderDefinition, 'kind' | 'baseUrl'>): string | null {
  return baseUrl ?? USUAL_ADDRESSES[kind];
}

export function isReservedProviderName(name: string): boolean {
  return RESERVED_NAMES.has(name.toLowerCase());
}

/** The name in the form for comparisons: `openai` and `OpenAI` are the same name. */
export function providerNameKey(name: string): string {
  return name.toLowerCase();
}

/**
 * The first part of a fallback entry `provider:model`. It may be a part of the model's name, which may contain colons.
 */
export function fallbackPrefix(fallback: string): string {
  return fallback.slice(0, Math.max(fallback.indexOf(':'), 0));
}

/** Longest name of a model in the database, in characters. */
export const LONGEST_MODEL_NAME = 191;
