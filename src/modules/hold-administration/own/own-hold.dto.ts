import { ApiProperty } from '@nestjs/swagger';
import { HOLD_SCOPES, type HoldScope } from '../../hold/hold.api';

/** A legal hold on data of the caller. */
export class OwnHoldDto {
  /** Id of the hold. @example 4 */
  id: number;

  /** Whether it covers the whole account, one conversation, or the members of a group. @example "user" */
  @ApiProperty({ enum: HOLD_SCOPES })
  scope: HoldScope;

  /** When it began to keep the data. @example "2026-03-03T09:30:00.000Z" */
  since: string;

  /** When it expires. Null if it lasts until it is released. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  until: string | null;
}
