import { isDeepStrictEqual } from 'node:util';
import type { AgentEntity } from '../catalogue/agent.entity';
import { DEFAULT_AVATAR } from '../catalogue/agent-avatars';
import type { AgentBehaviour } from '../catalogue/agent-behaviour';
import { agentNameKey } from '../catalogue/agent-name-key';

/** Fields that decide how an agent's model is called. Each change of them is a version in the agent's history. */
const BEHAVIOUR_FIELDS = [
  'systemPrompt',
  'provider',
  'model',
  'modelParams',
  'fallbackModels',
  'contextMaxMessages',
  'contextMaxTokens',
  'timeoutSeconds',
  'tools',
  'knowledge',
  'maxRounds',
  'maxCalls',
  'maxCostPerRun',
  'outsideReads',
] as const;

const PRESENTATION_FIELDS = [
  'name',
  'description',
  'avatar',
  'category',
  'tags',
  'openingMessage',
  'suggestedQuestions',
  'accessLevel',
  'groupIds',
  'isDefault',
  'status',
  'sortOrder',
] as const;

/** Everything that administrators set on an agent. */
const DEFINITION_FIELDS = [...PRESENTATION_FIELDS, ...BEHAVIOUR_FIELDS] as const;

export type AgentDefinition = Pick<AgentEntity, (typeof DEFINITION_FIELDS)[number]>;

/** References of a definition to other resources. */
export type AgentReferences = Pick<AgentDefinition, 'provider' | 'fallbackModels' | 'groupIds' | 'tools' | 'knowledge'>;

/** The values of a new agent for which only the name is specified. */
export const DEFAULT_DEFINITION: Readonly<Omit<AgentDefinition, 'name'>> = {
  description: '',
  avatar: DEFAULT_AVATAR,
  category: 'general',
  tags: [],
  openingMessage: '',
  suggestedQuestions: [],
  accessLevel: 'free',
  groupIds: [],
  isDefault: false,
  status: 'active',
  sortOrder: 100,
  systemPrompt: '',
  provider: null,
  model: null,
  modelParams: {},
  fallbackModels: [],
  contextMaxMessages: null,
  contextMaxTokens: null,
  timeoutSeconds: null,
  tools: [],
  knowledge: [],
  maxRounds: null,
  maxCalls: null,
  maxCostPerRun: null,
  outsideReads: 'ask',
};

export function behaviourOf(source: AgentBehaviour): AgentBehaviour {
  return pick(source, BEHAVIOUR_FIELDS);
}

export function definitionOf(source: AgentDefinition): AgentDefinition {
  return pick(source, DEFINITION_FIELDS);
}

/** The wanted fields that differ from the agent's. Absent fields stay unchanged. */
export function definitionChanges(agent: AgentDefinition, wanted: Partial<AgentDefinition>): Partial<AgentDefinition> {
  const changed = Object.entries(wanted).filter(
    ([field, value]) => !isDeepStrictEqual(value, agent[field as keyof AgentDefinition]),
  );
  return Object.fromEntries(changed);
}

/** The references that a change adds. A provider is checked together with its fallbacks. */
export function changedReferences(agent: AgentDefinition, changes: Partial<AgentDefinition>): AgentReferences {
  const { provider, fallbackModels } = { ...agent, ...changes };
  const namesProvider = changes.provider !== undefined || changes.fallbackModels !== undefined;
  return {
    provider: namesProvider ? provider : null,
    fallbackModels: namesProvider ? fallbackModels : [],
    groupIds: changes.groupIds ?? [],
    tools: changes.tools ?? [],
    knowledge: addedTo(agent.knowledge, changes.knowledge),
  };
}

/** The collections that a change adds. Deleted ones may stay: they are left out wherever the agent is used. */
export function addedTo(present: number[] | null, wanted: number[] | null | undefined): number[] {
  return (wanted ?? []).filter((id) => !present?.includes(id));
}

/** Whether the changes affect how the model is called. */
export function changesBehaviour(changes: Partial<AgentDefinition>): boolean {
  return BEHAVIOUR_FIELDS.some((field) => field in changes);
}

const LONGEST_NAME = 64;

/** The first free name among `<name> (copy)`, `<name> (copy 2)` and so on. */
export function freeCopyName(name: string, nameKeysInUse: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? ' (copy)' : ` (copy ${number})`;
    const candidate = [...name].slice(0, LONGEST_NAME - suffix.length).join('') + suffix;
    if (!nameKeysInUse.has(agentNameKey(candidate))) {
      return candidate;
    }
  }
}

function pick<Source, Field extends keyof Source>(source: Source, fields: readonly Field[]): Pick<Source, Field> {
  return Object.fromEntries(fields.map((field) => [field, source[field]])) as Pick<Source, Field>;
}
