import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../common/security/access.decorators';
import { AgentService } from './agent.service';
import { AgentDto, toAgentDto } from './dto/agent.dto';

@ApiTags('Agents')
@Authenticated()
@Controller('chat/agents')
export class ActiveAgentsController {
  constructor(private readonly agents: AgentService) {}

  @Get('active')
  @ApiOperation({ summary: 'List the agents to chat with', description: 'In the order in which to show them.' })
  @ApiOkResponse({ type: [AgentDto] })
  async list(): Promise<AgentDto[]> {
    return (await this.agents.listActive()).map(toAgentDto);
  }
}
