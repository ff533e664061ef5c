import { ApiPropertyOptional } from '@nestjs/swagger';
import type { ReplyTokenUsage } from '../../../common/token-usage';
import { costMember } from '../cost-member';

/** Parts of the prompt's tokens. */
export class PromptTokensDetailsDto {
  /**
   * Tokens that the provider had cached.
   * @example 0
   */
  cached_tokens: number;

  /**
   * Tokens that the provider wrote into its cache.
   * @example 0
   */
  cache_write_tokens: number;

  /**
   * Always 0.
   * @example 0
   */
  audio_tokens: number;
}

/** Parts of the answer's tokens. */
export class CompletionTokensDetailsDto {
  /**
   * Tokens that the model thought with.
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

/** What a completion used. */
export class CompletionUsageDto {
  /**
   * Cached ones included.
   * @example 12
   */
  prompt_tokens: number;

  /**
   * Those of reasoning included.
   * @example 8
   */
  completion_tokens: number;

  /**
   * The sum of both.
   * @example 20
   */
  total_tokens: number;

  /** Parts of the prompt's tokens. */
  prompt_tokens_details: PromptTokensDetailsDto;

  /** Parts of the answer's tokens. */
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

/** @param usage null for a reply of which nothing was counted */
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
