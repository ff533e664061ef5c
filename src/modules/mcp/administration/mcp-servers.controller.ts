import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Put, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { type Page, PageQueryDto, partOf, toPage } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope, NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { ClientAddresses } from '../connections/connection-start';
import { McpServerExistsError, McpServerInUseError, McpServerNotFoundError, McpUrlForbiddenError } from '../mcp.errors';
import { type McpServer, McpServerStore } from '../servers/mcp-server.store';
import { ServerFaults } from '../servers/server-faults';
import { McpToolStore } from '../tools/mcp-tool.store';
import { DeletedMcpServerDto, DeleteMcpServerQueryDto, McpServerDto, toMcpServerDto } from './mcp-server.dto';
import { ServerAdministrationService } from './server-administration.service';
import { CreateMcpServerDto, UpdateMcpServerDto } from './server-fields.dto';
import { ImportedServersDto, McpServersFileDto } from './server-transfer.dto';
import { ServerTransferService } from './server-transfer.service';

@ApiTags('Tools and MCP')
@AdminOnly()
@Enveloped()
@Controller('admin/mcp_servers')
export class McpServersController {
  constructor(
    private readonly store: McpServerStore,
    private readonly administration: ServerAdministrationService,
    private readonly transfer: ServerTransferService,
    private readonly tools: McpToolStore,
    private readonly faults: ServerFaults,
    private readonly addresses: ClientAddresses,
  ) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.mcpServers.list',
    summary: 'List MCP servers',
    description: 'Returns MCP servers in order of creation.',
  })
  @EnvelopedPageResponse(McpServerDto)
  async list(@Query() query: PageQueryDto, @Req() request: Request): Promise<Page<McpServerDto>> {
    const all = await this.store.all();
    const { offset, limit } = partOf(query);
    return toPage(await this.shown(all.slice(offset, offset + limit), request), all.length, query);
  }

  @Get('export')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.mcpServers.export',
    summary: 'Export MCP servers',
    description: 'Secrets and headers are not included.',
  })
  @EnvelopedResponse(McpServersFileDto)
  export(): Promise<McpServersFileDto> {
    return this.transfer.export();
  }

  @Post('import')
  @NoKeys()
  @HttpCode(HttpStatus.OK)
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    operationId: 'admin.mcpServers.import',
    summary: 'Import MCP servers',
    description:
      'Imports all servers or none: servers with a known label are updated, others are added. Their tools ' +
      'need your approval, and servers without their secret are disabled.',
  })
  @EnvelopedResponse(ImportedServersDto)
  @ApiErrors(McpServerExistsError, McpUrlForbiddenError)
  import(@Body() body: McpServersFileDto): Promise<ImportedServersDto> {
    return this.transfer.import(body);
  }

  @Post()
  @NoKeys()
  @BodyLimit(LARGE_BODY)
  @Enveloped('messages.created')
  @ApiOperation({
    operationId: 'admin.mcpServers.create',
    summary: 'Add an MCP server',
    description: 'Its tools are not offered until you approve them.',
  })
  @EnvelopedResponse(McpServerDto, { status: HttpStatus.CREATED })
  @ApiErrors(McpServerExistsError, McpUrlForbiddenError)
  async create(@Body() body: CreateMcpServerDto, @Req() request: Request): Promise<McpServerDto> {
    return this.shownOne(await this.administration.create(body), request);
  }

  @Get(':id')
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.mcpServers.read',
    summary: 'Retrieve an MCP server',
    description: 'Secrets are not included.',
  })
  @EnvelopedResponse(McpServerDto)
  @ApiErrors(McpServerNotFoundError)
  async get(@Param('id', IdPipe) id: number, @Req() request: Request): Promise<McpServerDto> {
    return this.shownOne(await this.store.get(id), request);
  }

  @Put(':id')
  @NoKeys()
  @BodyLimit(LARGE_BODY)
  @Enveloped('messages.updated')
  @ApiOperation({
    operationId: 'admin.mcpServers.update',
    summary: 'Update an MCP server',
    description:
      'Fields that you omit stay unchanged. Another host or authentication method needs new credentials, ' +
      'because stored ones are never sent to another server.',
  })
  @EnvelopedResponse(McpServerDto)
  @ApiErrors(McpServerNotFoundError, McpUrlForbiddenError)
  async update(
    @Param('id', IdPipe) id: number,
    @Body() body: UpdateMcpServerDto,
    @Req() request: Request,
  ): Promise<McpServerDto> {
    return this.shownOne(await this.administration.update(id, body), request);
  }

  @Delete(':id')
  @NoKeys()
  @Enveloped('messages.deleted')
  @ApiOperation({
    operationId: 'admin.mcpServers.remove',
    summary: 'Delete an MCP server',
    description: 'Fails while agents use its tools, unless you set `force`.',
  })
  @EnvelopedResponse(DeletedMcpServerDto)
  @ApiErrors(McpServerNotFoundError, McpServerInUseError)
  remove(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Query() { force = false }: DeleteMcpServerQueryDto,
  ): Promise<DeletedMcpServerDto> {
    return this.administration.remove(principal.userId, id, force);
  }

  private async shown(servers: readonly McpServer[], request: Request): Promise<McpServerDto[]> {
    const waiting = await this.tools.countWaiting();
    return servers.map((server) =>
      toMcpServerDto(server, {
        waiting_tools: waiting.get(server.id) ?? 0,
        fault: this.faults.of(server),
        redirect_uri: server.auth === 'oauth_user' ? this.addresses.callback(request) : null,
      }),
    );
  }

  private async shownOne(server: McpServer, request: Request): Promise<McpServerDto> {
    const [shown] = await this.shown([server], request);
    return shown as McpServerDto;
  }
}
