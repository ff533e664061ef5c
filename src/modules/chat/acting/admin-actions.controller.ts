import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse } from '../../../common/envelope/enveloped-response.decorator';
import type { Page } from '../../../common/envelope/page.dto';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ActionDto } from '../messages/action.dto';
import { ActionsService } from './actions.service';
import { PageAllActionsQueryDto } from './list-actions-query.dto';

@ApiTags('Tool approvals')
@AdminOnly()
@Enveloped()
@Controller('admin/actions')
export class AdminActionsController {
  constructor(private readonly actions: ActionsService) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.actions.list',
    summary: 'List actions of all users',
    description:
      'Returns the newest first, with `arguments` only if you are the approver or send a `reason`. A reason ' +
      'requires `ADMIN_CONTENT_ACCESS=true` (otherwise 403) and is written to the audit log first.',
  })
  @EnvelopedPageResponse(ActionDto)
  @Audited('action.read', 'action', [], 'reason')
  list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: PageAllActionsQueryDto,
  ): Promise<Page<ActionDto>> {
    return this.actions.page(principal, query);
  }
}
