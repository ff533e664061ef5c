import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { AgentDto } from '../catalogue/agent.dto';
import { AgentService } from '../catalogue/agent.service';
import { AgentView } from '../catalogue/agent-view';
import { ActiveAgentsQueryDto } from './active-agents-query.dto';

@ApiTags('Agents')
@Authenticated()
@KeyScope('agents:read')
@Controller('chat/agents')
export class ActiveAgentsController {
  constructor(
    private readonly agents: AgentService,
    private readonly shown: AgentView,
  ) {}

  @Get('active')
  @ApiOperation({
    operationId: 'agents.listActive',
    summary: 'List the agents to chat with',
    description: 'In the order to show them; all of them unless `limit` is given.',
  })
  @ApiOkResponse({ type: [AgentDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() { limit, offset }: ActiveAgentsQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentDto[]> {
    const agents = await this.agents.listActive(principal);
    const part = agents.slice(offset, limit && offset + limit);
    return setTotalCount(response, { items: part.map((agent) => this.shown.shared(agent)), total: agents.length });
  }
}
