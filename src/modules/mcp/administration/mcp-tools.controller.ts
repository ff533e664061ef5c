import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, PageQueryDto, partOf, toPage } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope, NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { PathTextPipe } from '../../../common/validation/path-text.pipe';
import { ConnectionRequiredError } from '../../tool/tool.api';
import { McpServerError, McpServerNotFoundError, McpToolChangedError, McpToolNotFoundError } from '../mcp.errors';
import { McpServerTestDto } from './mcp-server.dto';
import { DecideMcpToolDto, ListMcpToolsQueryDto, McpToolDto, toMcpToolDto } from './mcp-tool.dto';
import { ToolAdministrationService } from './tool-administration.service';

/** The maximum length of a tool name. */
const LONGEST_NAME = 255;

@ApiTags('Tools and MCP')
@AdminOnly()
@Enveloped()
@Controller('admin/mcp_servers/:id')
export class McpToolsController {
  constructor(private readonly tools: ToolAdministrationService) {}

  @Post('test')
  @NoKeys()
  @HttpCode(HttpStatus.OK)
  @Audited('mcp_server.test', 'mcp_server')
  @ApiOperation({
    operationId: 'admin.mcpServers.test',
    summary: 'Test an MCP server',
    description: 'Reads the list of tools and returns any problem.',
  })
  @EnvelopedResponse(McpServerTestDto)
  @ApiErrors(McpServerNotFoundError, ConnectionRequiredError)
  test(
    @CurrentContext() { language, principal }: RequestContext,
    @Param('id', IdPipe) id: number,
  ): Promise<McpServerTestDto> {
    return this.tools.test(principal.userId, id, language);
  }

  @Post('refresh')
  @NoKeys()
  @HttpCode(HttpStatus.OK)
  @Audited('mcp_server.refresh', 'mcp_server')
  @ApiOperation({
    operationId: 'admin.mcpServers.refresh',
    summary: 'Refresh the tools of an MCP server',
    description: 'Reads the list of tools again. New and changed tools are not offered until you approve them.',
  })
  @EnvelopedPageResponse(McpToolDto)
  @ApiErrors(McpServerNotFoundError, McpServerError, ConnectionRequiredError)
  async refresh(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Query() query: PageQueryDto,
  ): Promise<Page<McpToolDto>> {
    return pageOf(await this.tools.refresh(principal.userId, id), query);
  }

  @Get('tools')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.mcpServers.tools',
    summary: 'List the tools of an MCP server',
    description: 'Returns each tool as last read from the server, and as approved.',
  })
  @EnvelopedPageResponse(McpToolDto)
  @ApiErrors(McpServerNotFoundError, ConnectionRequiredError)
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Query() query: ListMcpToolsQueryDto,
  ): Promise<Page<McpToolDto>> {
    const { state } = query;
    const tools = await this.tools.list(principal.userId, id);
    return pageOf(state === undefined ? tools : tools.filter((tool) => tool.state === state), query);
  }

  @Put('tools/:name')
  @NoKeys()
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'admin.mcpServers.decide',
    summary: 'Approve or block a tool',
    description: 'Send the pin of the definition that you reviewed. If the tool has changed since, it is not approved.',
  })
  @ApiParam({
    name: 'name',
    description: 'Name of the tool on the server.',
    schema: { type: 'string', maxLength: LONGEST_NAME },
    example: 'create_issue',
  })
  @EnvelopedResponse(McpToolDto)
  @ApiErrors(McpServerNotFoundError, McpToolNotFoundError, McpToolChangedError)
  async decide(
    @Param('id', IdPipe) id: number,
    @Param('name', new PathTextPipe(LONGEST_NAME)) name: string,
    @Body() body: DecideMcpToolDto,
  ): Promise<McpToolDto> {
    return toMcpToolDto(await this.tools.decide(id, name, body));
  }
}

function pageOf(tools: readonly Parameters<typeof toMcpToolDto>[0][], query: PageQueryDto): Page<McpToolDto> {
  const { offset, limit } = partOf(query);
  return toPage(tools.slice(offset, offset + limit).map(toMcpToolDto), tools.length, query);
}
