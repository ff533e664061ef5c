import { IsString } from 'class-validator';
import { CharacterCount, NotBlank, NullableField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import type { Completion } from '../../../integrations/llm/port/completion';
import type { CompletionFinishReason } from '../../../integrations/llm/port/language-model-provider';
import type { ProviderKind } from '../../../integrations/llm/port/provider-definition';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';

/** A model provider. */
export class ModelProviderDto {
  /** Name of the provider in agents. @example "default" */
  provider: string;

  /** Protocol of the provider. @example "openai-compatible" */
  kind: ProviderKind;

  /** Default model for agents that do not name one. Null if they must name one. @example "gpt-4o-mini" */
  model: string | null;

  /** Whether agents without a provider use this one. @example true */
  is_default: boolean;

  /** Whether the provider is switched on and completely configured. @example true */
  is_configured: boolean;

  /** `open`: not called for a while after failures; `half-open`: being tried again. @example "closed" */
  circuit: 'closed' | 'open' | 'half-open';
}

/** The model and message of a trial. */
export class ModelTestDto extends LanguageBodyDto {
  /** Name of the provider. If absent, the default provider. @example "demo" */
  @NullableField()
  @CharacterCount(1, 64)
  @IsString()
  provider?: string | null;

  /** Name of the model. If absent, the provider's default model. @example "demo-1" */
  @NullableField()
  @CharacterCount(1, LONGEST_MODEL_NAME)
  @IsString()
  model?: string | null;

  /** Message to the model, up to 4,000 characters. If absent, a greeting. @example "Say hello." */
  @NullableField()
  @NotBlank()
  @CharacterCount(1, 4_000)
  @IsString()
  content?: string | null;
}

/** Result of a model trial. */
export class ModelTestResultDto {
  /** The provider that answered. @example "demo" */
  provider: string;

  /** The provider's name for the model. @example "demo-1" */
  model: string;

  /** Complete text of the response. @example "Hello!" */
  content: string;

  /** Why the response ended: `stop`, `length` or `content_filter`. @example "stop" */
  finish_reason: CompletionFinishReason;

  /** Tokens of the prompt. Null if the provider does not report them. @example 12 */
  prompt_tokens: number | null;

  /** Tokens of the response. Null if the provider does not report them. @example 3 */
  completion_tokens: number | null;

  /** Milliseconds to the first token. Null if there was none. @example 420 */
  first_token_ms: number | null;

  /** Milliseconds to the end of the response. @example 900 */
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
