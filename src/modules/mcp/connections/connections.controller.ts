import { Body, Controller, Delete, Get, Header, HttpCode, HttpStatus, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { acknowledge, AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { PathTextPipe } from '../../../common/validation/path-text.pipe';
import { IdentityProviderError, IdentityRequiredError, ReturnPages, SignInRenewal } from '../../identity/identity.api';
import { ConnectionNotFoundError, McpServerError } from '../mcp.errors';
import { ConnectionDto, StartConnectionDto, StartedConnectionDto } from './connection.dto';
import { ConnectionStart } from './connection-start';
import { ConnectionsService } from './connections.service';

/** The maximum length of a server label. */
const LONGEST_LABEL = 32;

const LABEL = {
  name: 'label',
  description: 'Label of the server, from `GET /user/connections`.',
  example: 'github',
  schema: { type: 'string' as const, maxLength: LONGEST_LABEL },
};

@ApiTags('Tools and MCP')
@Authenticated()
@NoKeys()
@Controller('user/connections')
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly starts: ConnectionStart,
    private readonly renewals: SignInRenewal,
    private readonly returnPages: ReturnPages,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'connections.list',
    summary: 'List MCP connections',
    description: 'Returns the MCP servers that you can connect to and those that you are connected to, by label.',
  })
  @ApiOkResponse({ type: [ConnectionDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: ListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionDto[]> {
    return setTotalCount(response, await this.connections.list(principal, query));
  }

  @Post(':label/start')
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'connections.start',
    summary: 'Connect to an MCP server',
    description:
      'Call this route from the browser that opens `authorization_url`, because it sets a cookie. The browser ' +
      'returns to `return_to` with the label in `connected`, or with an `error` code. For `sign_in` servers, ' +
      'where your organization vouches for you, it leads to the provider of your last sign-in.',
  })
  @ApiParam(LABEL)
  @ApiOkResponse({ type: StartedConnectionDto })
  @ApiErrors(ConnectionNotFoundError, McpServerError, IdentityRequiredError, IdentityProviderError)
  async start(
    @CurrentContext() context: RequestContext,
    @Param('label', new PathTextPipe(LONGEST_LABEL)) label: string,
    @Body() { return_to: returnTo = CONSOLE_PAGE }: StartConnectionDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartedConnectionDto> {
    this.returnPages.assertField(returnTo);
    const server = await this.connections.serverFor(context.principal, label);
    const url =
      server.auth === 'enterprise'
        ? await this.renewals.begin(response, context, { returnTo, connected: label })
        : await this.starts.begin(response, context.principal, server, returnTo);
    return { authorization_url: url };
  }

  @Delete(':label')
  @ApiOperation({
    operationId: 'connections.remove',
    summary: 'Disconnect from an MCP server',
    description:
      'Revokes its tokens at the server. For `sign_in` servers, where your organization vouches for you, the ' +
      'next call gets new tokens until you sign out.',
  })
  @ApiParam(LABEL)
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(ConnectionNotFoundError)
  async remove(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('label', new PathTextPipe(LONGEST_LABEL)) label: string,
  ): Promise<AcknowledgementDto> {
    await this.connections.remove(principal, label);
    return acknowledge(language, 'connection_removed');
  }
}
