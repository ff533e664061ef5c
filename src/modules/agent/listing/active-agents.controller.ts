import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { partOfWhole, setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { WholeListQueryDto } from '../../../common/envelope/whole-list-query.dto';
import { Authenticated } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { AgentDto } from '../catalogue/agent.dto';
import { AgentService } from '../catalogue/agent.service';
import { AgentView } from '../catalogue/agent-view';

@ApiTags('Agents and models')
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
    summary: 'List available agents',
    description:
      'Returns the agents that you can chat with, in display order. Returns all of them unless you set ' + '`limit`.',
  })
  @ApiOkResponse({ type: [AgentDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: WholeListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentDto[]> {
    const { items, total } = partOfWhole(await this.agents.listActive(principal), query);
    return setTotalCount(response, { items: items.map((agent) => this.shown.shared(agent)), total });
  }
}
