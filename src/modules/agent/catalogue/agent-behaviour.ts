import { Column } from 'typeorm';
import { JsonColumn, LongTextColumn } from '../../../database/columns';
import type { ModelParameters } from '../../../integrations/llm/port/language-model-provider';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import type { AgentToolUse } from './agent-tools';

/** Whether the first read from another server requires approval if the prompt contains untrusted content. */
export const OUTSIDE_READS = ['ask', 'auto'] as const;

export type OutsideReads = (typeof OUTSIDE_READS)[number];

/** How an agent's model is called: the columns that an agent and each of its versions have. */
export abstract class AgentBehaviour {
  /** Visible only to administrators. */
  @LongTextColumn({ name: 'system_prompt' })
  systemPrompt: string;

  /** Name of a model provider; null: the configured default. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  provider: string | null;

  /** Name of a model; null: the provider's default. */
  @Column({ type: 'varchar', length: LONGEST_MODEL_NAME, nullable: true })
  model: string | null;

  @JsonColumn({ name: 'model_params' })
  modelParams: ModelParameters;

  /** Tried in this order if the model fails: `model` or `provider:model`. */
  @JsonColumn({ name: 'fallback_models' })
  fallbackModels: string[];

  /** Most messages to send, newest first; null: all that fit. */
  @Column({ name: 'context_max_messages', type: 'int', nullable: true })
  contextMaxMessages: number | null;

  /** Most tokens of a prompt; null: the service's own limit. */
  @Column({ name: 'context_max_tokens', type: 'int', nullable: true })
  contextMaxTokens: number | null;

  /** Time limit of a whole reply; null: the configured one. */
  @Column({ name: 'timeout_seconds', type: 'int', nullable: true })
  timeoutSeconds: number | null;

  /** The tools that it may call; null, from earlier releases: none. */
  @JsonColumn({ nullable: true })
  tools: AgentToolUse[] | null;

  /** The collections that it searches, possibly deleted ones; null, from earlier releases: none. */
  @JsonColumn({ nullable: true })
  knowledge: number[] | null;

  /** Most rounds of one reply; null: the service's own limit. */
  @Column({ name: 'max_rounds', type: 'int', nullable: true })
  maxRounds: number | null;

  /** Most tool calls of one reply; null: the service's own limit. */
  @Column({ name: 'max_calls', type: 'int', nullable: true })
  maxCalls: number | null;

  /** Cost of one reply at which no further round starts, as a decimal text; null: no limit. */
  @Column({ name: 'max_cost_per_run', type: 'varchar', length: 25, nullable: true })
  maxCostPerRun: string | null;

  /** Agents from earlier releases have `auto`. */
  @Column({ name: 'outside_reads', type: 'varchar', length: 8, default: 'auto' })
  outsideReads: OutsideReads;
}
