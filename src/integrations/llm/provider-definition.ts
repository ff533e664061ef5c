export const PROVIDER_KINDS = ['openai-compatible', 'anthropic', 'demo'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Longest name of a provider, in characters. */
export const LONGEST_PROVIDER_NAME = 64;

/** The provider that `LLM_*` describes. */
export const ENVIRONMENT_PROVIDER = 'default';

/** The built-in provider that needs no network. */
export const DEMO_PROVIDER = 'demo';

/** Names that administrators cannot give: they mean the two above, or a kind. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([ENVIRONMENT_PROVIDER, DEMO_PROVIDER, ...PROVIDER_KINDS]);

/** How a provider is reached, and what it is used for. */
export interface ProviderDefinition {
  /** By which agents name it. */
  name: string;
  kind: ProviderKind;
  /** Null for `demo`, and for the usual address of `anthropic`. */
  baseUrl: string | null;
  apiKey: string | null;
  /** The model used when an agent names none; null: agents have to name one. */
  model: string | null;
  /** Tokens of prompt and reply together that its models take; null: `LLM_CONTEXT_TOKENS`. */
  contextTokens: number | null;
  /** Whether it answers where an agent names no provider. */
  isDefault: boolean;
  /** Whether it may be asked at all. */
  isActive: boolean;
}

export function isReservedProviderName(name: string): boolean {
  return RESERVED_NAMES.has(name.toLowerCase());
}

/** The name as it is compared: nobody should have to tell `openai` from `OpenAI`. */
export function providerNameKey(name: string): string {
  return name.toLowerCase();
}

/** The provider that a fallback entry `provider:model` begins with, if it is one; model names may hold colons too. */
export function fallbackPrefix(fallback: string): string {
  return fallback.slice(0, Math.max(fallback.indexOf(':'), 0));
}

/** Longest name of a model that is known here, in characters: our tables hold no more. */
export const LONGEST_MODEL_NAME = 191;
