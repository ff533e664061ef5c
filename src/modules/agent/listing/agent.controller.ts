import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { AgentDto } from '../catalogue/agent.dto';
import { AgentNotFoundError } from '../catalogue/agent.errors';
import { AgentAdminDto } from '../editing/agent-admin.dto';
import { AgentDirectoryService } from './agent-directory.service';
import { AGENT_FILE } from './agent-file';
import { AgentListQueryDto } from './agent-list-query.dto';

@ApiTags('Agents and models')
@Authenticated()
@KeyScope('agents:read')
@Enveloped()
@Controller('agents')
export class AgentController {
  constructor(private readonly directory: AgentDirectoryService) {}

  @Get()
  @ApiOperation({
    operationId: 'agents.list',
    summary: 'List agents',
    description: 'Users see active agents; administrators see all agents with all settings.',
  })
  @EnvelopedPageResponse([AgentAdminDto, AgentDto], {
    description: 'Administrators receive `AgentAdminDto` items.',
    otherContent: AGENT_FILE,
  })
  list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: AgentListQueryDto,
  ): Promise<Page<AgentDto | AgentAdminDto> | StreamableFile> {
    return this.directory.find(principal, query);
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'agents.read',
    summary: 'Retrieve an agent',
    description: 'Administrators receive all settings.',
  })
  @EnvelopedResponse([AgentAdminDto, AgentDto], {
    description: 'The agent. Administrators receive an `AgentAdminDto`.',
  })
  @ApiErrors(AgentNotFoundError)
  get(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
  ): Promise<AgentDto | AgentAdminDto> {
    return this.directory.get(principal, id);
  }
}
