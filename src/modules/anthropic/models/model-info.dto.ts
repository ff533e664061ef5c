import type { Agent } from '../../agent/agent.api';
import type { ModelAlias } from './aliases/alias';

/** A model in the format of Anthropic's API. Null: unknown. */
export interface ModelInfo {
  type: 'model';
  /** Send it as `model`. */
  id: string;
  display_name: string;
  /** RFC 3339. */
  created_at: string;
  lifecycle: 'active';
  line: null;
  max_input_tokens: number | null;
  max_tokens: number | null;
  deprecated_at: null;
  retires_at: null;
  capabilities: null;
}

/** One page of models. */
export interface ModelInfoPage {
  data: ModelInfo[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}

/** Aliases have no time of their own. */
const NO_TIME = '1970-01-01T00:00:00Z';

export function infoOfAlias(alias: ModelAlias, id = alias.id): ModelInfo {
  const { display_name: name, max_input_tokens, max_tokens } = alias;
  return { ...infoOf(id, name ?? id, NO_TIME), max_input_tokens, max_tokens };
}

export function infoOfAgent({ name, createdAt }: Pick<Agent, 'name' | 'createdAt'>): ModelInfo {
  return infoOf(name, name, createdAt.toISOString());
}

/** A provider's model, of which only the name is known. */
export function infoOfModel(id: string): ModelInfo {
  return infoOf(id, id, NO_TIME);
}

function infoOf(id: string, name: string, createdAt: string): ModelInfo {
  return {
    type: 'model',
    id,
    display_name: name,
    created_at: createdAt,
    lifecycle: 'active',
    line: null,
    max_input_tokens: null,
    max_tokens: null,
    deprecated_at: null,
    retires_at: null,
    capabilities: null,
  };
}
