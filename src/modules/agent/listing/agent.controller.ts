import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { CurrentUser } from '../../../common/security/current-user.decorator';
import { Principal } from '../../../common/security/principal';
import { IdPipe } from '../../../common/validation/id.pipe';
import { AgentDto } from '../agent.dto';
import { AgentNotFoundError } from '../agent.errors';
import { AgentAdminDto } from '../editing/agent-admin.dto';
import { AgentDirectoryService } from './agent-directory.service';
import { AgentListQueryDto } from './agent-list-query.dto';

@ApiTags('Agents')
@Authenticated()
@Enveloped()
@Controller('agents')
export class AgentController {
  constructor(private readonly directory: AgentDirectoryService) {}

  @Get()
  @ApiOperation({
    summary: 'Search the agents',
    description: 'Users get the active ones; administrators all of them, with everything there is to set.',
  })
  @EnvelopedPageResponse([AgentAdminDto, AgentDto], 'A page of the agents; for administrators of AgentAdminDto.')
  list(
    @Query() query: AgentListQueryDto,
    @CurrentUser() principal: Principal,
  ): Promise<Page<AgentDto | AgentAdminDto>> {
    return this.directory.page(query, principal);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read an agent', description: 'Administrators get everything there is to set.' })
  @EnvelopedResponse([AgentAdminDto, AgentDto], { description: 'The agent; for administrators an AgentAdminDto.' })
  @ApiErrors(AgentNotFoundError)
  get(@Param('id', IdPipe) id: number, @CurrentUser() principal: Principal): Promise<AgentDto | AgentAdminDto> {
    return this.directory.get(id, principal);
  }
}
