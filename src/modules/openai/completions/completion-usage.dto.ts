import { ApiPropertyOptional } from '@nestjs/swagger';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { costMember } from '../cost-member';

/** The prompt tokens in detail. */
export class PromptTokensDetailsDto {
  /**
   * Tokens read from the provider's cache.
   * @example 0
   */
  cached_tokens: number;

  /**
   * Tokens written to the provider's cache.
   * @example 0
   */
  cache_write_tokens: number;

  /**
   * Always 0.
   * @example 0
   */
  audio_tokens: number;
}

/** The completion tokens in detail. */
export class CompletionTokensDetailsDto {
  /**
   * Tokens of reasoning.
   * @example 0
   */
  reasoning_tokens: number;

  /**
   * Always 0.
   * @example 0
   */
  audio_tokens: number;

  /**
   * Always 0.
   * @example 0
   */
  accepted_prediction_tokens: number;

  /**
   * Always 0.
   * @example 0
   */
  rejected_prediction_tokens: number;
}

/** The usage of a completion. */
export class CompletionUsageDto {
  /**
   * Prompt tokens, including cached ones.
   * @example 12
   */
  prompt_tokens: number;

  /**
   * Completion tokens, including reasoning.
   * @example 8
   */
  completion_tokens: number;

  /**
   * The sum of prompt and completion tokens.
   * @example 20
   */
  total_tokens: number;

  /** The prompt tokens in detail. */
  prompt_tokens_details: PromptTokensDetailsDto;

  /** The completion tokens in detail. */
  completion_tokens_details: CompletionTokensDetailsDto;

  @ApiPropertyOptional({
    type: 'number',
    format: 'double',
    nullable: true,
    description: 'Exact cost in `COST_CURRENCY`; null if there is no price. Absent if costs are hidden.',
    example: 0.001234567,
  })
  cost?: number | null;
}

/** @param usage null for a reply without counted tokens */
export function toCompletionUsageDto(usage: ReplyTokenUsage | null): CompletionUsageDto {
  return {
    prompt_tokens: usage?.prompt ?? 0,
    completion_tokens: usage?.completion ?? 0,
    total_tokens: usage?.total ?? 0,
    prompt_tokens_details: {
      cached_tokens: usage?.cached ?? 0,
      cache_write_tokens: usage?.cacheWrite ?? 0,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage?.reasoning ?? 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...costMember(usage),
  };
}
