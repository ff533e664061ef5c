import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { partOfWhole, setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { WholeListQueryDto } from '../../../common/envelope/whole-list-query.dto';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { HoldNotices } from '../../hold/hold.api';
import { OwnHoldDto } from './own-hold.dto';

@ApiTags('Account')
@Authenticated()
@NoKeys()
@Controller('user')
export class OwnHoldsController {
  constructor(private readonly notices: HoldNotices) {}

  @Get('holds')
  @ApiOperation({
    operationId: 'account.holds',
    summary: 'List legal holds on your data',
    description:
      'What you delete while a hold lasts disappears for you, but the operator keeps a copy until it ends. Returns all ' +
      'holds, oldest first, unless you set `limit`.',
  })
  @ApiOkResponse({ type: [OwnHoldDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: WholeListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OwnHoldDto[]> {
    const holds = await this.notices.all(principal.userId);
    const all = holds.map(({ id, scope, since, until }) => ({
      id,
      scope,
      since: since.toISOString(),
      until: until?.toISOString() ?? null,
    }));
    return setTotalCount(response, partOfWhole(all, query));
  }
}
