import { IsInt, Max, Min } from 'class-validator';
import { NullableField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { type Plan } from '../../usage/usage.api';
import { MembershipType } from '../../user/user.api';

/** The limits of a plan. */
export class PlanDto {
  /** Name of the plan. @example "free" */
  membership_type: MembershipType;

  /** Messages that the user may send per UTC day. Null for no limit. @example 50 */
  messages_per_day: number | null;

  /** Tokens of the replies per UTC day, including prompts. Null for no limit. @example 100000 */
  tokens_per_day: number | null;

  /** Bytes of files and items that the user may store. Null for no limit. @example 104857600 */
  storage_bytes: number | null;

  /** Tokens of files and searches that are embedded per UTC day. Null for no limit. @example 1000000 */
  embedding_tokens: number | null;

  /** When the plan was last changed. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** Limits to set. Absent ones stay unchanged. */
export class UpdatePlanDto extends LanguageBodyDto {
  /** Messages per UTC day. Null for no limit. @example 100 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  messages_per_day?: number | null;

  /** Tokens per UTC day, including prompts. Null for no limit. @example 200000 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  tokens_per_day?: number | null;

  /** Bytes of files and items. Null for no limit. @example 1073741824 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  storage_bytes?: number | null;

  /** Tokens that are embedded per UTC day. Null for no limit. @example 2000000 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  embedding_tokens?: number | null;
}

export function toPlanDto(plan: Plan): PlanDto {
  return {
    membership_type: plan.membershipType,
    messages_per_day: plan.messagesPerDay,
    tokens_per_day: plan.tokensPerDay,
    storage_bytes: plan.storageBytes,
    embedding_tokens: plan.embeddingTokens,
    updated_at: plan.updatedAt.toISOString(),
  };
}
