import type { AccessLevel } from '../../../agent/agent.api';

/** A name of a model in Anthropic's API, in its stored form. */
export interface ModelAlias {
  id: string;
  display_name: string | null;
  agent_id: number | null;
  provider: string | null;
  model: string | null;
  access_level: AccessLevel;
  group_ids: number[];
  max_input_tokens: number | null;
  max_tokens: number | null;
}

const WILDCARD = '*';

export function isPattern({ id }: Pick<ModelAlias, 'id'>): boolean {
  return id.endsWith(WILDCARD);
}

/** The alias with exactly this id. */
export function exactAlias(aliases: readonly ModelAlias[], name: string): ModelAlias | undefined {
  return aliases.find((alias) => !isPattern(alias) && alias.id === name);
}

/** The alias whose pattern matches, the longest first. */
export function matchingAlias(aliases: readonly ModelAlias[], name: string): ModelAlias | undefined {
  return aliases
    .filter((alias) => isPattern(alias) && name.startsWith(alias.id.slice(0, -1)))
    .toSorted((one, other) => other.id.length - one.id.length)[0];
}

/** The provider's model for the name that the client sent. */
export function modelOf({ id, model }: ModelAlias, name: string): string {
  return (model ?? '').replace(WILDCARD, () => name.slice(id.length - 1));
}
