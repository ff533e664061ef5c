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

@ApiTags('Tools and MCP')
@AdminOnly()
@Enveloped()
@Controller('admin/tools')
export class ToolsController {
  constructor(private readonly tools: ToolsService) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.tools.list',
    summary: 'List tools',
    description: 'Returns the built-in tools and the approved tools of MCP servers, by name.',
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
    summary: 'Test a tool',
    description:
      'Validates the arguments and, unless you set `dry`, calls the tool once as you. Only read-only tools ' +
      'run; others require `dry`.',
  })
  @ApiParam({
    name: 'name',
    description: 'Name of the tool.',
    schema: { type: 'string', maxLength: 64 },
    example: 'current_time',
  })
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
