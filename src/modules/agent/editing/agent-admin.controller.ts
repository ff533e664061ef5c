import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, PageQueryDto } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { ContentBlockedError, GuardUnavailableError } from '../../../common/errors/guard.errors';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import {
  ContentRefusedError,
  ContextTooLongError,
  ModelNotPricedError,
  ProviderError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../../integrations/llm/port/llm.errors';
import {
  AgentInUseError,
  AgentNameTakenError,
  AgentNotFoundError,
  AgentVersionConflictError,
  AgentVersionNotFoundError,
} from '../catalogue/agent.errors';
import { AgentStatsDto, AgentStatsQueryDto } from '../stats/agent-stats.dto';
import { AgentStatsReportService } from '../stats/agent-stats-report.service';
import { AgentTrialDto, AgentTrialRequestDto } from '../trial/agent-trial.dto';
import { AgentTrialService } from '../trial/agent-trial.service';
import { AgentAdminDto, DeletedAgentDto } from './agent-admin.dto';
import { CreateAgentDto } from './agent-changes.dto';
import { DuplicateAgentDto } from './agent-changes.dto';
import { UpdateAgentDto } from './agent-changes.dto';
import { AgentEditorService } from './agent-editor.service';
import { AgentHistoryService } from './agent-history.service';
import { AgentVersionDto } from './agent-version.dto';

@ApiTags('Agents and models')
@AdminOnly()
@KeyScope('agents:write')
@BodyLimit(LARGE_BODY)
@Controller('agents')
export class AgentAdminController {
  constructor(
    private readonly editor: AgentEditorService,
    private readonly history: AgentHistoryService,
    private readonly stats: AgentStatsReportService,
    private readonly trial: AgentTrialService,
  ) {}

  @Post()
  @Enveloped('messages.agent_created')
  @ApiOperation({
    operationId: 'agents.create',
    summary: 'Create an agent',
    description: 'Fields that you omit get their default values.',
  })
  @EnvelopedResponse(AgentAdminDto, { status: HttpStatus.CREATED })
  @ApiErrors(AgentNameTakenError)
  create(@CurrentContext() { principal }: RequestContext, @Body() body: CreateAgentDto): Promise<AgentAdminDto> {
    return this.editor.create(principal.userId, body);
  }

  @Put(':id')
  @Enveloped('messages.agent_updated')
  @ApiOperation({
    operationId: 'agents.update',
    summary: 'Update an agent',
    description:
      'Fields that you omit stay unchanged. Send the version that you read, to get a 409 if the agent has ' +
      'changed since.',
  })
  @EnvelopedResponse(AgentAdminDto)
  @ApiErrors(AgentNotFoundError, AgentNameTakenError, AgentVersionConflictError)
  update(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() body: UpdateAgentDto,
  ): Promise<AgentAdminDto> {
    return this.editor.update(principal.userId, id, body);
  }

  @Delete(':id')
  @Enveloped('messages.agent_deleted')
  @ApiOperation({
    operationId: 'agents.remove',
    summary: 'Delete an agent',
    description: 'Its conversations stay readable, and its name can be used again.',
  })
  @EnvelopedResponse(DeletedAgentDto)
  @ApiErrors(AgentNotFoundError, AgentInUseError)
  remove(@Param('id', IdPipe) id: number): Promise<DeletedAgentDto> {
    return this.editor.remove(id);
  }

  @Get(':id/versions')
  @Enveloped()
  @ApiOperation({
    operationId: 'agents.listVersions',
    summary: 'List agent versions',
    description: 'Returns the changes of prompt, model and parameters.',
  })
  @EnvelopedPageResponse(AgentVersionDto, { description: 'A page of versions, newest first.' })
  @ApiErrors(AgentNotFoundError)
  versions(@Param('id', IdPipe) id: number, @Query() query: PageQueryDto): Promise<Page<AgentVersionDto>> {
    return this.history.page(id, query);
  }

  @Post(':id/versions/:version/restore')
  @HttpCode(HttpStatus.OK)
  @Enveloped('messages.agent_restored')
  @ApiOperation({
    operationId: 'agents.restoreVersion',
    summary: 'Restore an agent version',
    description: 'Creates a new version that equals the earlier one.',
  })
  @EnvelopedResponse(AgentAdminDto)
  @ApiErrors(AgentNotFoundError, AgentVersionNotFoundError)
  restore(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Param('version', IdPipe) version: number,
  ): Promise<AgentAdminDto> {
    return this.history.restore(principal.userId, id, version);
  }

  @Post(':id/duplicate')
  @Enveloped('messages.agent_created')
  @ApiOperation({
    operationId: 'agents.duplicate',
    summary: 'Duplicate an agent',
    description: 'The copy is a draft, named “… (copy)” unless you send a name.',
  })
  @ApiBody({ type: DuplicateAgentDto, required: false })
  @EnvelopedResponse(AgentAdminDto, { status: HttpStatus.CREATED })
  @ApiErrors(AgentNotFoundError, AgentNameTakenError)
  duplicate(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() { name }: DuplicateAgentDto,
  ): Promise<AgentAdminDto> {
    return this.editor.duplicate(principal.userId, id, name);
  }

  @Post(':id/test')
  @HttpCode(HttpStatus.OK)
  @Audited('agent.test', 'agent', ['content'])
  @Enveloped()
  @ApiOperation({
    operationId: 'agents.test',
    summary: 'Test an agent',
    description:
      'Returns the reply to one message, within the limits of the agent. Nothing is stored or counted. ' +
      'Settings in the body apply to this test only.',
  })
  @EnvelopedResponse(AgentTrialDto)
  @ApiErrors(
    AgentNotFoundError,
    BudgetExceededError,
    ContentBlockedError,
    GuardUnavailableError,
    ModelNotPricedError,
    ContentRefusedError,
    ContextTooLongError,
    ProviderError,
    ProviderUnavailableError,
    ProviderTimeoutError,
  )
  test(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() body: AgentTrialRequestDto,
  ): Promise<AgentTrialDto> {
    return this.trial.answer(id, body, principal);
  }

  @Get(':id/stats')
  @Enveloped()
  @ApiOperation({
    operationId: 'agents.stats',
    summary: 'Retrieve agent statistics',
    description: 'Covers the given UTC days, or all days.',
  })
  @EnvelopedResponse(AgentStatsDto)
  @ApiErrors(AgentNotFoundError)
  report(@Param('id', IdPipe) id: number, @Query() query: AgentStatsQueryDto): Promise<AgentStatsDto> {
    return this.stats.report(id, query);
  }
}
