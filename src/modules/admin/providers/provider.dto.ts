import { ApiProperty } from '@nestjs/swagger';
import {
  ANTHROPIC_FEATURES,
  type AnthropicFeature,
  type ProviderDefinition,
  type ProviderKind,
} from '../../../integrations/llm/port/provider-definition';
import type { ManagedProviderEntity } from '../../../integrations/llm/providers/managed-provider.entity';
import type { ProviderDescription } from '../../../integrations/llm/providers/model-registry';
import { OUTCOME_REASONS, type OutcomeReason } from '../../../integrations/llm/providers/provider-outcome';

/** Of shorter keys nothing is shown, because four characters would be too large a part. */
const SHORTEST_SHOWN_KEY = 12;

/** Result of the last request to a provider from the responding instance. */
export class ProviderOutcomeDto {
  /** Time of the request. @example "2026-07-31T12:00:00.000Z" */
  at: string;

  /** Whether the provider answered. @example false */
  ok: boolean;

  /** HTTP status of the response. Null if there was none, or if the request succeeded. @example 401 */
  status: number | null;

  /** Error code. Null if the request succeeded. @example "PROVIDER_ERROR" */
  code: string | null;

  /** Category of the failure. Null if the request succeeded. @example "key_refused" */
  @ApiProperty({ enum: OUTCOME_REASONS, nullable: true, example: 'key_refused' })
  reason: OutcomeReason | null;

  /**
   * The provider's error message, without keys. Null if there is none, and for API keys.
   * @example "Incorrect API key provided."
   */
  message: string | null;
}

/** A model provider. */
export class ProviderDto {
  /** Id of the provider. Null for the two providers outside the database, which are identified by name. @example 1 */
  id: number | null;

  /** Name of the provider in agents. @example "ollama" */
  name: string;

  /** Protocol of the provider. @example "openai-compatible" */
  kind: ProviderKind;

  /**
   * `database`: managed here; `environment`: LLM_*, changed only by a restart; `built-in`: the demo.
   * @example "database"
   */
  source: 'database' | 'environment' | 'built-in';

  /**
   * Address of the provider. Null for the protocol's default address, or if there is none.
   * @example "http://ollama:11434/v1"
   */
  base_url: string | null;

  /** Whether a key is saved. @example true */
  has_api_key: boolean;

  /** The last four characters of the key. Null if there is no key, or if it is short. @example "wxyz" */
  api_key_last_four: string | null;

  /** Default model for agents that do not name one. @example "llama3.2" */
  model: string | null;

  /** Context window in tokens, for prompt and reply together. Null for LLM_CONTEXT_TOKENS. @example 32000 */
  context_tokens: number | null;

  /** Features of Anthropic's API that callers may use although they share their state. @example ["files"] */
  @ApiProperty({ enum: ANTHROPIC_FEATURES, isArray: true })
  anthropic_features: AnthropicFeature[];

  /** Whether agents without a provider use this one. @example false */
  is_default: boolean;

  /** Whether the provider may be called. @example true */
  is_active: boolean;

  /** `open`: not called for a while after failures; `half-open`: being tried again. @example "closed" */
  circuit: 'closed' | 'open' | 'half-open';

  /**
   * Whether the responding instance could read the provider's list of models. Null if it has not tried, or if there is
   * no list. A wrong key or model may only show in a reply.
   * @example true
   */
  reachable: boolean | null;

  /**
   * When the responding instance last got a reply from the provider. Null if it has not since its start.
   * @example "2026-07-31T12:00:00.000Z"
   */
  answered_at: string | null;

  /** Result of the last request of either type. Null if there was none yet. */
  last_outcome: ProviderOutcomeDto | null;

  /** Null for providers outside the database. @example "2026-07-31T12:00:00.000Z" */
  created_at: string | null;

  /** Null for providers outside the database. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string | null;
}

/** A deleted provider. */
export class DeletedProviderDto {
  /** Id of the deleted provider. @example 1 */
  id: number;
}

/** A model that a provider lists. */
export class ListedModelDto {
  /** Name of the model, for an agent's `model`. @example "llama3.2" */
  id: string;
}

/** The end of a provider's key. Null if it must not be shown. */
export function lastFour(key: string | null): string | null {
  return key !== null && key.length >= SHORTEST_SHOWN_KEY ? key.slice(-4) : null;
}

/**
 * @param row null for providers outside the database
 * @param state absent while this instance does not use the provider
 * @param showsWords whether the caller may see the provider's message
 */
export function toProviderDto(
  definition: ProviderDefinition,
  row: ManagedProviderEntity | null,
  state: ProviderDescription | undefined,
  showsWords: boolean,
): ProviderDto {
  const { name, kind, baseUrl, apiKey, model, contextTokens, anthropicFeatures = [], isDefault, isActive } = definition;
  return {
    id: row?.id ?? null,
    name,
    kind,
    source: row ? 'database' : name === 'demo' ? 'built-in' : 'environment',
    base_url: baseUrl,
    has_api_key: row ? row.apiKey !== null : apiKey !== null,
    api_key_last_four: lastFour(apiKey),
    model,
    context_tokens: contextTokens,
    anthropic_features: [...anthropicFeatures],
    is_default: isDefault,
    is_active: row?.isActive ?? isActive,
    circuit: state?.circuit ?? 'closed',
    reachable: state?.isReachable ?? null,
    answered_at: state?.answeredAt?.toISOString() ?? null,
    last_outcome: toOutcomeDto(state, showsWords),
    created_at: row?.createdAt.toISOString() ?? null,
    updated_at: row?.updatedAt.toISOString() ?? null,
  };
}

function toOutcomeDto(state: ProviderDescription | undefined, showsWords: boolean): ProviderOutcomeDto | null {
  const outcome = state?.lastOutcome;
  if (!outcome) {
    return null;
  }
  const { at, ok, status, code, reason, message } = outcome;
  return { at: at.toISOString(), ok, status, code, reason, message: showsWords ? message : null };
}
