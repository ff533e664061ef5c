import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ActionDto } from '../messages/action.dto';
import { ActionsService } from './actions.service';
import { ListActionsQueryDto } from './list-actions-query.dto';

@ApiTags('Tool approvals')
@Authenticated()
@Controller('user/actions')
export class UserActionsController {
  constructor(private readonly actions: ActionsService) {}

  @Get()
  @KeyScope('chat:read')
  @ApiOperation({
    operationId: 'user.actions.list',
    summary: 'List your actions',
    description: 'Returns actions in your conversations, and those of others that you may decide, newest first.',
  })
  @ApiOkResponse({ type: [ActionDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: ListActionsQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ActionDto[]> {
    return setTotalCount(response, await this.actions.ofUser(principal, query));
  }
}
