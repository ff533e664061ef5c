import { ApiExtraModels } from '@nestjs/swagger';
import type { ReplyTokenUsage } from './token-usage';

/** Numbers of tokens. */
export class TokenCountsDto {
  /** Tokens of the prompt, cached ones included. @example 120 */
  prompt_tokens: number;

  /** Tokens of the reply, reasoning included. @example 48 */
  completion_tokens: number;

  /** The sum of both. @example 168 */
  total_tokens: number;

  /** Prompt tokens that the provider had cached. @example 0 */
  cached_tokens: number;

  /** Tokens that the model thought with. @example 0 */
  reasoning_tokens: number;

  /** True when they were counted here, because the provider reported none. @example false */
  is_estimated: boolean;
}

/** Tokens of one reply, and what it cost. */
@ApiExtraModels(TokenCountsDto)
export class TokenUsageDto extends TokenCountsDto {
  /** The model that answered; null: none did. @example gpt-4o-mini */
  model: string | null;

  /**
   * What it cost: a decimal text without exponent, with what was tried for it before. Null: the model has no price. Absent where
   * costs are not shown (COST_IN_RESPONSES), and for replies from before there were costs. @example "0.001234567"
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
