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

@ApiTags('Usage')
@Authenticated()
@KeyScope('usage:read')
@Controller('user')
export class OwnBudgetsController {
  constructor(private readonly budgets: OwnBudgetsService) {}

  @Get('budget')
  @ApiOperation({
    operationId: 'usage.budget',
    summary: 'What you may still spend',
    description:
      'The budgets that your requests are charged to, but those of agents; with an API key those of the key too. Of budgets ' +
      'that others share, only whether something is left. All of them unless `limit` is given.',
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
