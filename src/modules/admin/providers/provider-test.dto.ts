import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { CharacterCount, NotBlank, NullableField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import type { CompletionFinishReason } from '../../../integrations/llm/port/language-model-provider';
import { LONGEST_MODEL_NAME } from '../../../integrations/llm/port/provider-definition';
import { OUTCOME_REASONS, type OutcomeReason } from '../../../integrations/llm/providers/provider-outcome';

/** The model and message of a provider test. */
export class ProviderTestDto extends LanguageBodyDto {
  /** Name of the model. If absent, the provider's default model. @example "llama3.2" */
  @NullableField()
  @NotBlank()
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

/** Result of a provider test. A failure of the provider is a result, too. */
export class ProviderTestResultDto {
  /** Whether the model answered. @example false */
  ok: boolean;

  /** Name of the provider. @example "ollama" */
  provider: string;

  /** The model that was called. @example "llama3.2" */
  model: string | null;

  /** The host that was called. Null for the demo. @example "ollama:11434" */
  host: string | null;

  /** HTTP status of the provider's response. Null if there was none. @example 401 */
  status: number | null;

  /** Error code, as in a reply. Null if the test succeeded. @example "PROVIDER_ERROR" */
  code: string | null;

  /** Category of the failure. Null if the test succeeded. @example "key_refused" */
  @ApiProperty({ enum: OUTCOME_REASONS, nullable: true, example: 'key_refused' })
  reason: OutcomeReason | null;

  /**
   * The provider's error message, without keys. Null if there is none, and for API keys.
   * @example "Incorrect API key."
   */
  message: string | null;

  /** Complete text of the response. Null for a failure, and for API keys. */
  @ApiProperty({ type: String, nullable: true, example: null })
  content: string | null;

  /** Why the response ended. Null for a failure. */
  finish_reason: CompletionFinishReason | null;

  /** Tokens of the prompt. Null if the provider does not report them. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  prompt_tokens: number | null;

  /** Tokens of the response. Null if the provider does not report them. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  completion_tokens: number | null;

  /** Milliseconds to the first token. Null if there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  first_token_ms: number | null;

  /** Milliseconds to the end of the response, including retries. @example 900 */
  duration_ms: number;
}
