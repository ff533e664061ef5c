import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { partOfWhole, setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { WholeListQueryDto } from '../../../common/envelope/whole-list-query.dto';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { OwnBudgetDto } from './own-budget.dto';
import { OwnBudgetsService } from './own-budgets.service';

@ApiTags('Money')
@Authenticated()
@KeyScope('usage:read')
@Controller('user')
export class OwnBudgetsController {
  constructor(private readonly budgets: OwnBudgetsService) {}

  @Get('budget')
  @ApiOperation({
    operationId: 'usage.budget',
    summary: 'List your budgets',
    description:
      'Returns the budgets that your requests are charged to, except those of agents; with an API key, also ' +
      'those of the key. For budgets shared with others, only whether anything is left. Returns all of them ' +
      'unless you set `limit`.',
  })
  @ApiOkResponse({ type: [OwnBudgetDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: WholeListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OwnBudgetDto[]> {
    return setTotalCount(response, partOfWhole(await this.budgets.of(principal), query));
  }
}
