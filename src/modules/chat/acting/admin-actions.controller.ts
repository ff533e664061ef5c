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

@ApiTags('Admin: content')
@AdminOnly()
@Enveloped()
@Controller('admin/actions')
export class AdminActionsController {
  constructor(private readonly actions: ActionsService) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.actions.list',
    summary: 'What people are asked about calls of tools',
    description:
      'The newest first. `arguments` are shown to those alone who may decide, or with a `reason`: then it answers 403 unless the ' +
      'operator has set ADMIN_CONTENT_ACCESS=true, and an entry in the audit log comes first.',
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
