import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import {
  HOLD_SCOPES,
  HOLD_STATUSES,
  type HoldCounts,
  type HoldScope,
  type HoldStatus,
  type LegalHold,
} from '../../hold/hold.api';

/** Filters for legal holds. */
export class ListHoldsQueryDto extends PageQueryDto {
  /** Only holds with this status. */
  @OptionalField()
  @IsIn(HOLD_STATUSES)
  status?: HoldStatus;

  /** Only holds with this scope. */
  @OptionalField()
  @IsIn(HOLD_SCOPES)
  scope?: HoldScope;

  /** Only holds of the user, conversation or group with this id. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  scope_id?: number;
}

/** What a hold covered when it was created. */
export class HoldCountsDto implements HoldCounts {
  /** Users; for a conversation, its owner. @example 1 */
  users: number;

  /** Conversations, including those in the trash. @example 12 */
  chats: number;

  /** Messages of all branches. @example 128 */
  messages: number;

  /** Uploaded files, and files in messages. @example 3 */
  files: number;
}

/** A legal hold for administrators. */
export class HoldDto {
  /** Id of the hold. @example 4 */
  id: number;

  /** Whether it covers a user, a conversation, or all members of a group. @example "user" */
  @ApiProperty({ enum: HOLD_SCOPES })
  scope: HoldScope;

  /** Id of the user, conversation or group. @example 42 */
  scope_id: number;

  /** Name of the hold. @example "Smith v. Example Ltd" */
  name: string;

  /** Why the data must be kept. @example "Court order of 3 March, file 12-345." */
  reason: string;

  /** Whether the owners of the data are informed. @example true */
  notify: boolean;

  /** When the hold expires. Null if it lasts until it is released. @example "2027-03-31T22:00:00.000Z" */
  until: string | null;

  /** Whether it is in force. @example "active" */
  @ApiProperty({ enum: HOLD_STATUSES })
  status: HoldStatus;

  /** Id of the administrator who created it. @example 1 */
  created_by: number;

  /** When it was created. @example "2026-03-03T09:30:00.000Z" */
  created_at: string;

  /** Id of the administrator who released it. Null if it is active or expired. */
  @ApiProperty({ type: Number, nullable: true, example: null })
  released_by: number | null;

  /** When it was released or expired. Null if it is active. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  released_at: string | null;

  /** Why it was released. Null if it is active or expired. */
  @ApiProperty({ type: String, nullable: true, example: null })
  release_reason: string | null;

  /** What it covered when it was created. */
  counts: HoldCountsDto;
}

const NOTHING: HoldCounts = { users: 0, chats: 0, messages: 0, files: 0 };

export function toHoldDto(hold: LegalHold): HoldDto {
  return {
    id: hold.id,
    scope: hold.scope,
    scope_id: hold.scopeId,
    name: hold.name,
    reason: hold.reason,
    notify: hold.notify,
    until: hold.until?.toISOString() ?? null,
    status: hold.status,
    created_by: hold.createdBy,
    created_at: hold.createdAt.toISOString(),
    released_by: hold.releasedBy,
    released_at: hold.releasedAt?.toISOString() ?? null,
    release_reason: hold.releaseReason,
    counts: hold.counts ?? NOTHING,
  };
}
