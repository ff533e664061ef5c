import { ApiProperty } from '@nestjs/swagger';
import type { ProviderDefinition, ProviderKind } from '../../../integrations/llm/port/provider-definition';
import type { ManagedProviderEntity } from '../../../integrations/llm/providers/managed-provider.entity';
import type { ProviderDescription } from '../../../integrations/llm/providers/model-registry';
import { OUTCOME_REASONS, type OutcomeReason } from '../../../integrations/llm/providers/provider-outcome';

/** Shorter keys are not shown at all: four characters would be too large a part of them. */
const SHORTEST_SHOWN_KEY = 12;

/** The result of the last request to a provider, on the instance that answers. */
export class ProviderOutcomeDto {
  /** When. @example "2026-07-31T12:00:00.000Z" */
  at: string;

  /** Whether it answered. @example false */
  ok: boolean;

  /** HTTP status of its answer; null when there was none, or nothing was wrong. @example 401 */
  status: number | null;

  /** Code of the failure; null when there was none. @example "PROVIDER_ERROR" */
  code: string | null;

  /** The kind of the failure; null when there was none. @example "key_refused" */
  @ApiProperty({ enum: OUTCOME_REASONS, nullable: true, example: 'key_refused' })
  reason: OutcomeReason | null;

  /** What the provider said, without keys; null when nothing, and for API keys. @example "Incorrect API key provided." */
  message: string | null;
}

/** A model provider. */
export class ProviderDto {
  /** Null for the two that are not kept in the database: they are found by their names. @example 1 */
  id: number | null;

  /** The name that agents use. @example "ollama" */
  name: string;

  /** Its protocol. @example "openai-compatible" */
  kind: ProviderKind;

  /** `database`: managed here; `environment`: LLM_*, which only a restart changes; `built-in`: the demo. @example "database" */
  source: 'database' | 'environment' | 'built-in';

  /** Null: the usual one of its kind, or none. @example "http://ollama:11434/v1" */
  base_url: string | null;

  /** Whether it has a key. @example true */
  has_api_key: boolean;

  /** The last four characters of its key; null without one, and for short ones. @example "wxyz" */
  api_key_last_four: string | null;

  /** The model that answers where an agent names none. @example "llama3.2" */
  model: string | null;

  /** Tokens of prompt and reply together; null: LLM_CONTEXT_TOKENS. @example 32000 */
  context_tokens: number | null;

  /** Whether agents that name no provider get this one. @example false */
  is_default: boolean;

  /** Whether it may be asked. @example true */
  is_active: boolean;

  /** `open`: not asked for a while after failures; `half-open`: being tried again. @example "closed" */
  circuit: 'closed' | 'open' | 'half-open';

  /**
   * Whether the instance that answers has read its list of models; null: it has not asked for it, or there is none. A wrong
   * key or model may show only with a reply. @example true
   */
  reachable: boolean | null;

  /** When it last gave a reply to the instance that answers; null: not since its start. @example "2026-07-31T12:00:00.000Z" */
  answered_at: string | null;

  /** The last request of either kind; null when nobody has asked it yet. */
  last_outcome: ProviderOutcomeDto | null;

  /** Null for those that are not kept in the database. @example "2026-07-31T12:00:00.000Z" */
  created_at: string | null;

  /** Null for those that are not kept in the database. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string | null;
}

/** What was deleted. */
export class DeletedProviderDto {
  /** The deleted provider. @example 1 */
  id: number;
}

/** A model that a provider lists. */
export class ListedModelDto {
  /** Its name, for an agent's `model`. @example "llama3.2" */
  id: string;
}

/** The end of a provider's key; null when it must not be shown. */
export function lastFour(key: string | null): string | null {
  return key !== null && key.length >= SHORTEST_SHOWN_KEY ? key.slice(-4) : null;
}

/**
 * @param row null for the providers that are not kept in the database
 * @param state absent while this instance does not use it
 * @param showsWords whether the caller may see what the provider said
 */
export function toProviderDto(
  definition: ProviderDefinition,
  row: ManagedProviderEntity | null,
  state: ProviderDescription | undefined,
  showsWords: boolean,
): ProviderDto {
  const { name, kind, baseUrl, apiKey, model, contextTokens, isDefault, isActive } = definition;
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
