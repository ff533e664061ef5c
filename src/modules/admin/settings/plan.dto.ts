import { IsInt, Max, Min } from 'class-validator';
import { NullableField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import { type Plan } from '../../usage/usage.api';
import { MembershipType } from '../../user/user.api';

/** What a membership allows. */
export class PlanDto {
  /** The plan. @example "free" */
  membership_type: MembershipType;

  /** Messages the user may send each UTC day; null: any number. @example 50 */
  messages_per_day: number | null;

  /** Tokens of the replies each UTC day, prompts included; null: any number. @example 100000 */
  tokens_per_day: number | null;

  /** Bytes of files and items the user may keep; null: any number. @example 104857600 */
  storage_bytes: number | null;

  /** When it was last changed. @example "2026-07-31T12:00:00.000Z" */
  updated_at: string;
}

/** Limits to set; absent ones stay as they are. */
export class UpdatePlanDto extends LanguageBodyDto {
  /** Null: no limit. @example 100 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  messages_per_day?: number | null;

  /** Null: no limit. @example 200000 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  tokens_per_day?: number | null;

  /** Null: no limit. @example 1073741824 */
  @NullableField()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  storage_bytes?: number | null;
}

export function toPlanDto(plan: Plan): PlanDto {
  return {
    membership_type: plan.membershipType,
    messages_per_day: plan.messagesPerDay,
    tokens_per_day: plan.tokensPerDay,
    storage_bytes: plan.storageBytes,
    updated_at: plan.updatedAt.toISOString(),
  };
}
