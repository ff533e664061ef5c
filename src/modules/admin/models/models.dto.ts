import { IsString } from 'class-validator';
import { CharacterCount, NotBlank, NullableField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import type { Completion } from '../../../integrations/llm/port/completion';
import type { CompletionFinishReason } from '../../../integrations/llm/port/language-model-provider';
import type { ProviderKind } from '../../../integrations/llm/port/provider-definition';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';

/** A model provider. */
export class ModelProviderDto {
  /** The name that agents use. @example "default" */
  provider: string;

  /** Its protocol. @example "openai-compatible" */
  kind: ProviderKind;

  /** The model used when an agent names none; null when an agent has to name one. @example "gpt-4o-mini" */
  model: string | null;

  /** Whether agents that name no provider get this one. @example true */
  is_default: boolean;

  /** Whether it is switched on and has what it needs. @example true */
  is_configured: boolean;

  /** `open`: not asked for a while after failures; `half-open`: being tried again. @example "closed" */
  circuit: 'closed' | 'open' | 'half-open';
}

/** What to try. */
export class ModelTestDto extends LanguageBodyDto {
  /** The default one if absent. @example "demo" */
  @NullableField()
  @CharacterCount(1, 64)
  @IsString()
  provider?: string | null;

  /** The provider's default one if absent. @example "demo-1" */
  @NullableField()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  @IsString()
  model?: string | null;

  /** What to say to the model, up to 4,000 characters; a greeting if absent. @example "Say hello." */
  @NullableField()
  @NotBlank()
  @CharacterCount(1, 4_000)
  @IsString()
  content?: string | null;
}

/** What the model answered. */
export class ModelTestResultDto {
  /** The provider that answered. @example "demo" */
  provider: string;

  /** As the provider names it. @example "demo-1" */
  model: string;

  /** The answer's whole text. @example "Hello!" */
  content: string;

  /** Why it ended: `stop`, `length` or `content_filter`. @example "stop" */
  finish_reason: CompletionFinishReason;

  /** Tokens of the prompt; null when the provider reports none. @example 12 */
  prompt_tokens: number | null;

  /** Tokens of the answer; null when the provider reports none. @example 3 */
  completion_tokens: number | null;

  /** Milliseconds to the first token; null when there was none. @example 420 */
  first_token_ms: number | null;

  /** Milliseconds to the end. @example 900 */
  duration_ms: number;
}

export function toModelTestResultDto(completion: Completion): ModelTestResultDto {
  return {
    provider: completion.provider,
    model: completion.model,
    content: completion.text,
    finish_reason: completion.finishReason,
    prompt_tokens: completion.usage?.prompt_tokens ?? null,
    completion_tokens: completion.usage?.completion_tokens ?? null,
    first_token_ms: completion.firstTokenMs,
    duration_ms: completion.durationMs,
  };
}
