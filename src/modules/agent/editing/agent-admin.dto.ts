import { ApiProperty } from '@nestjs/swagger';
import { AgentDto } from '../catalogue/agent.dto';
import { type Agent, AGENT_STATUSES, type AgentStatus } from '../catalogue/agent.entity';
import { OUTSIDE_READS, type OutsideReads } from '../catalogue/agent-behaviour';
import type { AgentCollection } from '../catalogue/agent-knowledge';
import { AgentTotalsDto } from '../stats/agent-stats.dto';
import { AgentToolDto } from './agent-tool.dto';
import { ModelParametersDto } from './model-parameters.dto';

/** The role of a group in a collection. */
export class CollectionGroupDto {
  /** The group. @example 7 */
  group_id: number;

  /** `editor` may also add and remove files. @example "reader" */
  @ApiProperty({ enum: ['reader', 'editor'] })
  role: 'reader' | 'editor';
}

/** Who may read a collection of an agent, besides its owner. */
export class KnowledgeAccessDto {
  /** The collection. @example 3 */
  id: number;

  /** Its name. @example "Handbooks" */
  name: string;

  /** `reader`: every user may read it; null: only its owner and the groups. @example null */
  @ApiProperty({ enum: ['reader'], nullable: true })
  everyone: 'reader' | null;

  /** The groups that may read it. */
  groups: CollectionGroupDto[];
}

/** An agent as administrators see it. */
export class AgentAdminDto extends AgentDto {
  /** `draft` and `disabled` agents do not answer; drafts are hidden from users. @example "active" */
  @ApiProperty({ enum: AGENT_STATUSES })
  status: AgentStatus;

  /** The groups that may use it with `access_level: groups`. @example [] */
  group_ids: number[];

  /** Instructions for the model; hidden from users. @example "You are a friendly cook." */
  system_prompt: string;

  /** Name of a model provider; null: the configured default. @example "demo" */
  provider: string | null;

  /** Sampling settings that are sent with each request; an empty object uses the provider's defaults. */
  model_params: ModelParametersDto;

  /** Tried in this order if the model fails: `model` or `provider:model`. @example ["gpt-4o-mini"] */
  fallback_models: string[];

  /** Most messages to send, newest first; null: all that fit. @example 40 */
  context_max_messages: number | null;

  /** Most tokens of a prompt; null: the service's own limit. @example 16000 */
  context_max_tokens: number | null;

  /** Time limit of a whole reply in seconds; null: the configured limit. @example 120 */
  timeout_seconds: number | null;

  /** The tools that it may call. Other tools are not offered. @example [] */
  tools: AgentToolDto[];

  /** The collections that it searches with the rights of its user. @example [3] */
  knowledge: number[];

  /** Who may read these collections. Other users get replies without them. */
  knowledge_access: KnowledgeAccessDto[];

  /** Most rounds of one reply; null: 16. @example 16 */
  max_rounds: number | null;

  /** Most tool calls of one reply; null: 64. @example 64 */
  max_calls: number | null;

  /** Cost of a reply at which no further round starts, as a decimal number; null: no limit. @example "0.5" */
  max_cost_per_run: string | null;

  /**
   * Whether the first read-only call to another external server requires approval if the prompt contains untrusted
   * content.
   *
   * @example "ask"
   */
  @ApiProperty({ enum: OUTSIDE_READS })
  outside_reads: OutsideReads;

  /** Its totals since it was created. */
  stats: AgentTotalsDto;
}

/** The response to a deletion. */
export class DeletedAgentDto {
  /** The deleted agent. @example 7 */
  id: number;
}

/**
 * @param shown the agent as users see it
 * @param collections the existing collections of the agent
 */
export function toAgentAdminDto(
  shown: AgentDto,
  agent: Agent,
  stats: AgentTotalsDto,
  collections: readonly AgentCollection[],
): AgentAdminDto {
  return {
    ...shown,
    status: agent.status,
    group_ids: agent.groupIds ?? [],
    system_prompt: agent.systemPrompt,
    provider: agent.provider,
    model_params: agent.modelParams,
    fallback_models: agent.fallbackModels,
    context_max_messages: agent.contextMaxMessages,
    context_max_tokens: agent.contextMaxTokens,
    timeout_seconds: agent.timeoutSeconds,
    tools: agent.tools ?? [],
    knowledge: collections.map(({ id }) => id),
    knowledge_access: collections.map(toAccessDto),
    max_rounds: agent.maxRounds,
    max_calls: agent.maxCalls,
    max_cost_per_run: agent.maxCostPerRun,
    outside_reads: agent.outsideReads,
    stats,
  };
}

function toAccessDto({ id, name, everyone, groups }: AgentCollection): KnowledgeAccessDto {
  return { id, name, everyone, groups: groups.map(({ groupId, role }) => ({ group_id: groupId, role })) };
}
