import { ApiExtraModels } from '@nestjs/swagger';
import type { ReplyTokenUsage } from './token-usage';

/** Token counts. */
export class TokenCountsDto {
  /** Prompt tokens, including cached ones. @example 120 */
  prompt_tokens: number;

  /** Reply tokens, including reasoning. @example 48 */
  completion_tokens: number;

  /** The sum of both. @example 168 */
  total_tokens: number;

  /** Prompt tokens that the provider had cached. @example 0 */
  cached_tokens: number;

  /** Tokens that the model used for reasoning. @example 0 */
  reasoning_tokens: number;

  /** True if the service counted the tokens, because the provider reported none. @example false */
  is_estimated: boolean;
}

/** Tokens and cost of one reply. */
@ApiExtraModels(TokenCountsDto)
export class TokenUsageDto extends TokenCountsDto {
  /** The model that answered; null if none did. @example gpt-4o-mini */
  model: string | null;

  /**
   * Cost including failed attempts, as a decimal text; null if there is no price. Absent if costs are not shown, and
   * for older replies.
   *
   * @example "0.001234567"
   */
  cost?: string | null;

  /** The currency of `cost`. @example USD */
  currency?: string;
}

export function toTokenUsageDto(usage: ReplyTokenUsage): TokenUsageDto {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.total,
    cached_tokens: usage.cached,
    reasoning_tokens: usage.reasoning,
    is_estimated: usage.isEstimated,
    model: usage.model,
    ...(usage.cost !== undefined && { cost: usage.cost, currency: usage.currency }),
  };
}
