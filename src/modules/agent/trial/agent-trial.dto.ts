import { IntersectionType, PickType } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { TokenCountsDto, toTokenUsageDto } from '../../../common/token-usage.dto';
import { CharacterCount, NotBlank } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import type { Completion } from '../../../integrations/llm/port/completion';
import type { CompletionFinishReason } from '../../../integrations/llm/port/language-model-provider';
import { AgentSettingsDto } from '../editing/agent-settings.dto';

/** The settings that a draft can change for one reply. */
const TRIED_SETTINGS = [
  'system_prompt',
  'provider',
  'model',
  'model_params',
  'fallback_models',
  'context_max_tokens',
  'timeout_seconds',
] as const satisfies readonly (keyof AgentSettingsDto)[];

/** A message to try an agent with, and settings for this reply only. Default: the agent's own settings. */
export class AgentTrialRequestDto extends IntersectionType(
  LanguageBodyDto,
  PickType(AgentSettingsDto, TRIED_SETTINGS),
) {
  /** The message: 1 to 32,000 characters, not only white space. @example "What can you do?" */
  @IsString()
  @CharacterCount(1, 32_000)
  @NotBlank()
  content: string;
}

/** Tokens of the reply. */
export class AgentTrialUsageDto extends TokenCountsDto {
  /** The model that answered, as the provider names it. @example "demo" */
  model: string;
}

/** The agent's reply, which was not stored. */
export class AgentTrialDto {
  /** The whole text of the reply. @example "I can answer questions and help you write." */
  content: string;

  /** Why it ended: `stop`, `length` (cut at `max_tokens`) or `content_filter`. @example "stop" */
  finish_reason: CompletionFinishReason;

  /** The provider that answered, which may be that of a fallback model. @example demo */
  provider: string;

  /** The model that answered, as the provider names it. @example "demo" */
  model: string;

  /** Tokens of the reply. They do not count towards any quota. */
  token_usage: AgentTrialUsageDto;

  /** Milliseconds to the first text; null: the reply has no text. @example 210 */
  first_token_ms: number | null;

  /** Milliseconds to the end. @example 1400 */
  duration_ms: number;
}

/** The usage of the reply; `Completion` names the model. */
export type AgentTrialUsage = Omit<ReplyTokenUsage, 'model'>;

export function toAgentTrialDto(completion: Completion, usage: AgentTrialUsage): AgentTrialDto {
  const { model } = completion;
  return {
    content: completion.text,
    finish_reason: completion.finishReason,
    provider: completion.provider,
    model,
    token_usage: { ...toTokenUsageDto({ ...usage, model }), model },
    first_token_ms: completion.firstTokenMs,
    duration_ms: completion.durationMs,
  };
}
