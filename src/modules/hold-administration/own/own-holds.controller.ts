import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProperty } from '@nestjs/swagger';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { HOLD_SCOPES, HoldNotices, type HoldScope } from '../../hold/hold.api';

/** A legal hold on data of the caller. */
export class OwnHoldDto {
  /** Id of the hold. @example 4 */
  id: number;

  /** Whether it covers the whole account, one conversation, or the members of a group. @example "user" */
  @ApiProperty({ enum: HOLD_SCOPES })
  scope: HoldScope;

  /** Since when it keeps the data. @example "2026-03-03T09:30:00.000Z" */
  since: string;

  /** When it expires. Null if it lasts until it is released. @example null */
  until: string | null;
}

@ApiTags('Account')
@Authenticated()
@KeyScope('chat:read')
@Controller('user')
export class OwnHoldsController {
  constructor(private readonly notices: HoldNotices) {}

  @Get('holds')
  @ApiOperation({
    operationId: 'account.holds',
    summary: 'List legal holds on your data',
    description: 'What you delete while a hold lasts disappears for you, but the operator keeps a copy until it ends.',
  })
  @ApiOkResponse({ type: [OwnHoldDto] })
  async list(@CurrentContext() { principal }: RequestContext): Promise<OwnHoldDto[]> {
    const holds = await this.notices.all(principal.userId);
    return holds.map(({ id, scope, since, until }) => ({
      id,
      scope,
      since: since.toISOString(),
      until: until?.toISOString() ?? null,
    }));
  }
}
