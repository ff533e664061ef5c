import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { CharacterCount, NotBlank, NullableField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import type { CompletionFinishReason } from '../../../integrations/llm/port/language-model-provider';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import { OUTCOME_REASONS, type OutcomeReason } from '../../../integrations/llm/providers/provider-outcome';

/** What to ask a provider. */
export class ProviderTestDto extends LanguageBodyDto {
  /** The provider's default one if absent. @example "llama3.2" */
  @NullableField()
  @NotBlank()
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

/** The result. A failure of the provider is a result too. */
export class ProviderTestResultDto {
  /** Whether the model answered. @example false */
  ok: boolean;

  /** The provider. @example "ollama" */
  provider: string;

  /** The model that was asked. @example "llama3.2" */
  model: string | null;

  /** Where it was asked; null for the demo. @example "ollama:11434" */
  host: string | null;

  /** HTTP status of the provider's answer; null when there was none. @example 401 */
  status: number | null;

  /** Code of the failure, as in a reply; null when there was none. @example "PROVIDER_ERROR" */
  code: string | null;

  /** The kind of the failure; null when there was none. @example "key_refused" */
  @ApiProperty({ enum: OUTCOME_REASONS, nullable: true, example: 'key_refused' })
  reason: OutcomeReason | null;

  /** What the provider said of its failure, without keys; null when nothing, and for API keys. @example "Incorrect API key." */
  message: string | null;

  /** The answer's whole text; null for a failure, and for API keys. */
  @ApiProperty({ type: String, nullable: true, example: null })
  content: string | null;

  /** Why it ended; null for a failure. */
  finish_reason: CompletionFinishReason | null;

  /** Tokens of the prompt; null when the provider reports none. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  prompt_tokens: number | null;

  /** Tokens of the answer; null when the provider reports none. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  completion_tokens: number | null;

  /** Milliseconds to the first token; null when there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  first_token_ms: number | null;

  /** Milliseconds to the end, retries included. @example 900 */
  duration_ms: number;
}
