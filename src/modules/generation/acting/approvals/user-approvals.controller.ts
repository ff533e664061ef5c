import { Controller, Delete, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { acknowledge, AcknowledgementDto } from '../../../../common/envelope/acknowledgement.dto';
import { ListQueryDto } from '../../../../common/envelope/list-query.dto';
import { setTotalCount, TOTAL_COUNT } from '../../../../common/envelope/total-count';
import { ApiErrors } from '../../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../../common/security/access.decorator';
import { NoKeys } from '../../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../../common/security/request-context';
import { IdPipe } from '../../../../common/validation/id.pipe';
import { ApprovalNotFoundError } from '../acting.errors';
import { ApprovalDto, toApprovalDto } from './approval.dto';
import { ToolApprovals } from './tool-approvals';

@ApiTags('Tool approvals')
@Authenticated()
@NoKeys()
@Controller('user/approvals')
export class UserApprovalsController {
  constructor(private readonly approvals: ToolApprovals) {}

  @Get()
  @ApiOperation({
    operationId: 'user.approvals.list',
    summary: 'List remembered approvals',
    description:
      'Returns the approvals saved with `remember`, newest first. They replace only your own approval: a ' +
      'policy `deny`, another approver, a request that requires approval, and untrusted content still stop a ' +
      'call.',
  })
  @ApiOkResponse({ type: [ApprovalDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: ListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ApprovalDto[]> {
    const { items, total } = await this.approvals.ofUser(principal.userId, query);
    return setTotalCount(response, { items: items.map(toApprovalDto), total });
  }

  @Delete(':id')
  @ApiOperation({
    operationId: 'user.approvals.remove',
    summary: 'Delete a remembered approval',
    description: 'The next call of the tool needs your approval again.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(ApprovalNotFoundError)
  async remove(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('id', IdPipe) id: number,
  ): Promise<AcknowledgementDto> {
    await this.approvals.revoke(principal.userId, id);
    return acknowledge(language, 'approval_removed');
  }
}
