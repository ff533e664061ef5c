import { IsString } from 'class-validator';
import { CharacterCount, NotBlank } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import type { CompletionFinishReason } from '../../../integrations/llm/language-model-provider';

/** A message to try an agent with. */
export class AgentTrialRequestDto extends LanguageBodyDto {
  /** The message: 1 to 32,000 characters, not only white space. @example "What can you do?" */
  @IsString()
  @CharacterCount(1, 32_000)
  @NotBlank()
  content: string;
}

/** Tokens of the answer. */
export class AgentTrialUsageDto {
  /** Tokens of the prompt, cached ones included. @example 31 */
  prompt_tokens: number;

  /** Tokens of the answer, reasoning included. @example 12 */
  completion_tokens: number;

  /** The sum of both. @example 43 */
  total_tokens: number;

  /** Prompt tokens that the provider had cached. @example 0 */
  cached_tokens: number;

  /** Tokens that the model thought with. @example 0 */
  reasoning_tokens: number;

  /** True when they were counted here, because the provider reported none. @example false */
  is_estimated: boolean;

  /** The model that answered, as the provider names it. @example "demo" */
  model: string;
}

/** How the agent answered; nothing of it was stored. */
export class AgentTrialDto {
  /** The answer's whole text. @example "I can answer questions and help you write." */
  content: string;

  /** Why it ended: `stop`, `length` (cut at `max_tokens`) or `content_filter`. @example "stop" */
  finish_reason: CompletionFinishReason;

  /** The provider that answered, which may be that of a fallback model. @example demo */
  provider: string;

  /** The model that answered, as the provider names it. @example "demo" */
  model: string;

  /** Tokens of the answer; nobody's quota is used. */
  token_usage: AgentTrialUsageDto;

  /** Milliseconds to the first text; null: it answered without text. @example 210 */
  first_token_ms: number | null;

  /** Milliseconds to the end. @example 1400 */
  duration_ms: number;
}
