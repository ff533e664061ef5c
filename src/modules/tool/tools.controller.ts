import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Audited } from '../../common/audit/audited.decorator';
import { Enveloped } from '../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../common/envelope/enveloped-response.decorator';
import { type Page, PageQueryDto } from '../../common/envelope/page.dto';
import { ApiErrors } from '../../common/errors/api-errors.decorator';
import { whenGone } from '../../common/http/when-gone';
import { AdminOnly } from '../../common/security/access.decorator';
import { KeyScope } from '../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../common/security/request-context';
import { ToolDto, ToolTestDto, ToolTestResultDto } from './tool.dto';
import { ConnectionRequiredError, ToolNotFoundError } from './tool.errors';
import { ToolsService } from './tools.service';

@ApiTags('Admin: settings')
@AdminOnly()
@Enveloped()
@Controller('admin/tools')
export class ToolsController {
  constructor(private readonly tools: ToolsService) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.tools.list',
    summary: 'Tools of agents',
    description: 'Functions of the modules of this service, and approved tools of servers (MCP), by name.',
  })
  @EnvelopedPageResponse(ToolDto)
  list(@Query() query: PageQueryDto): Promise<Page<ToolDto>> {
    return this.tools.page(query);
  }

  @Post(':name/test')
  @KeyScope('admin:write')
  @HttpCode(HttpStatus.OK)
  @Audited('tool.test', 'tool', ['dry'])
  @ApiOperation({
    operationId: 'admin.tools.test',
    summary: 'Try a tool',
    description:
      'Reads the arguments by its schema and, unless `dry`, calls it as you, once. Only tools that are read-only run; for ' +
      'others `dry` is required.',
  })
  @ApiParam({ name: 'name', schema: { type: 'string', maxLength: 64 }, example: 'current_time' })
  @EnvelopedResponse(ToolTestResultDto)
  @ApiErrors(ToolNotFoundError, ConnectionRequiredError)
  test(
    @CurrentContext() { principal }: RequestContext,
    @Param('name') name: string,
    @Body() body: ToolTestDto,
    @Req() request: Request,
  ): Promise<ToolTestResultDto> {
    return this.tools.test(principal.userId, name, body, whenGone(request));
  }
}
