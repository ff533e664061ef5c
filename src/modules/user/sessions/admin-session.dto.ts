import { ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { PageQueryDto } from '../../../common/envelope/page.dto';
import { OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { SESSION_KINDS, SessionDto } from './session.dto';
import type { SessionKind } from './session.service';

/** A session of any user, for administrators. */
export class AdminSessionDto extends OmitType(SessionDto, ['current', 'ip', 'user_agent']) {
  /** Id of the user. @example 7 */
  user_id: number;

  /** Username. @example "grace" */
  username: string;
}

/** Filters of the list of sessions. */
export class ListSessionsQueryDto extends PageQueryDto {
  /** Only sessions of this kind. */
  @OptionalField()
  @IsIn(SESSION_KINDS)
  @ApiPropertyOptional({ enum: SESSION_KINDS })
  kind?: SessionKind;

  /** Only sessions of the user with this id. */
  @OptionalField()
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  user_id?: number;
}

/** The session that was ended. */
export class EndedSessionDto {
  /** Id of the session. @example 12 */
  id: number;
}
