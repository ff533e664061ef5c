import { ApiProperty } from '@nestjs/swagger';
import { OUTSIDE_READS, type OutsideReads } from '../catalogue/agent-behaviour';
import type { AgentToolDto } from './agent-tool.dto';
import { type AgentVersionEntity } from './agent-version.entity';
import { type ModelParametersDto } from './model-parameters.dto';

/** The behaviour of an agent from one version on. */
export class AgentVersionDto {
  /** Number of the version; the newest is the agent's own. @example 3 */
  version: number;

  /** Instructions for the model; hidden from users. @example "You are a friendly cook." */
  system_prompt: string;

  /** Name of a model provider; null: the configured default. @example "demo" */
  provider: string | null;

  /** Name of a model; null: the provider's default. @example "gpt-4o-mini" */
  model: string | null;

  /** Sampling settings that were sent with each request. */
  model_params: ModelParametersDto;

  /** Tried in this order when the model failed: `model` or `provider:model`. @example ["gpt-4o-mini"] */
  fallback_models: string[];

  /** Most messages to send, newest first; null: all that fit. @example 40 */
  context_max_messages: number | null;

  /** Most tokens of a prompt; null: the service's own limit. @example 16000 */
  context_max_tokens: number | null;

  /** Time limit of a whole reply in seconds; null: the configured limit. @example 120 */
  timeout_seconds: number | null;

  /** The tools that it may call. Other tools are not offered. @example [] */
  tools: AgentToolDto[];

  /** The collections that it searches. @example [3] */
  knowledge: number[];

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

  /** Id of the administrator who created it; null: it came with the service. @example 1 */
  created_by: number | null;

  /** When the agent started to behave like this. @example 2026-01-31T09:30:00.000Z */
  created_at: string;
}

/** @param knowledge the existing collections of the version */
export function toAgentVersionDto(version: AgentVersionEntity, knowledge: number[]): AgentVersionDto {
  return {
    version: version.version,
    system_prompt: version.systemPrompt,
    provider: version.provider,
    model: version.model,
    model_params: version.modelParams,
    fallback_models: version.fallbackModels,
    context_max_messages: version.contextMaxMessages,
    context_max_tokens: version.contextMaxTokens,
    timeout_seconds: version.timeoutSeconds,
    tools: version.tools ?? [],
    knowledge,
    max_rounds: version.maxRounds,
    max_calls: version.maxCalls,
    max_cost_per_run: version.maxCostPerRun,
    outside_reads: version.outsideReads,
    created_by: version.createdBy,
    created_at: version.createdAt.toISOString(),
  };
}
