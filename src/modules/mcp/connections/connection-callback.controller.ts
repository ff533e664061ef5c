import { Controller, Get, Header, HttpCode, HttpStatus, Injectable, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { API_PREFIX } from '../../../common/http/api-prefix';
import { CountedBySession, type SessionFinder } from '../../../common/rate-limit/counted-by-session.decorator';
import { AnswersBrowsers } from '../../../common/redirects/answers-browsers.decorator';
import { redirectFailures, withParameter } from '../../../common/redirects/browser-page.filter';
import { BrowserPages } from '../../../common/redirects/browser-pages';
import { tokenHash } from '../../../common/redirects/one-time-tokens';
import { Public } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { ConnectionNotFoundError } from '../mcp.errors';
import { ClientDocumentDto } from './connection.dto';
import { ConnectionCallback } from './connection-callback';
import { ConnectionStates } from './connection-flow.store';
import { ClientAddresses } from './connection-start';
import { Registrations } from './registrations';

/** Rate-limits callbacks by their state, because all users of a company may share one IP address. */
@Injectable()
export class ConnectionCounter implements SessionFinder {
  constructor(private readonly states: ConnectionStates) {}

  sessionOf({ query }: Request): string | null {
    return this.states.isOurs('state', query.state) ? `connection ${tokenHash(query.state)}` : null;
  }
}

@ApiTags('Tools and MCP')
@Public()
@NoKeys()
@Controller('oauth/mcp')
export class ConnectionCallbackController {
  constructor(
    private readonly callbacks: ConnectionCallback,
    private readonly addresses: ClientAddresses,
    private readonly registrations: Registrations,
    pages: BrowserPages,
  ) {
    pages.add(new RegExp(`^/${API_PREFIX}/oauth/mcp/callback/?$`, 'i'));
  }

  @Get('callback')
  @HttpCode(HttpStatus.FOUND)
  @CountedBySession(ConnectionCounter)
  @AnswersBrowsers()
  @Header('Cache-Control', 'no-store')
  @Header('Referrer-Policy', 'no-referrer')
  @ApiOperation({
    operationId: 'connections.finish',
    summary: 'Finish connecting an MCP server',
    description:
      'The authorization server redirects the browser here. The browser goes to the page that started the ' +
      'connection, or to `/console` if no connection is pending. Without a console, it goes to a plain page.',
  })
  @ApiQuery({ name: 'state', required: false, type: String, description: 'Identifies the connection.' })
  @ApiQuery({ name: 'code', required: false, type: String, description: 'Authorization code.' })
  @ApiQuery({
    name: 'iss',
    required: false,
    type: String,
    description: 'Issuer identifier of the authorization server.',
  })
  @ApiQuery({
    name: 'error',
    required: false,
    type: String,
    description: 'Error code, if there is no authorization code.',
  })
  @ApiResponse({ status: HttpStatus.FOUND, description: 'Redirects to the page, with `connected` or `error`.' })
  async callback(@Req() request: Request, @Res() response: Response): Promise<void> {
    const answer = new URL(request.originalUrl, 'http://service').searchParams;
    const flow = await this.callbacks.spend(answer);
    redirectFailures(request, flow.returnTo);
    const label = await this.callbacks.finish(response, flow, answer);
    response.redirect(HttpStatus.FOUND, withParameter(flow.returnTo, 'connected', label));
  }

  @Get('client.json')
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOperation({
    operationId: 'connections.clientDocument',
    summary: 'Retrieve the OAuth client metadata',
    description:
      'For authorization servers, as a client ID metadata document. Available only if the service is reached ' +
      'over HTTPS.',
  })
  @ApiOkResponse({ type: ClientDocumentDto })
  @ApiErrors(ConnectionNotFoundError)
  async document(@Req() request: Request): Promise<ClientDocumentDto> {
    const address = this.addresses.document(request);
    if (address === null) {
      throw new ConnectionNotFoundError();
    }
    const described = await this.registrations.describe(this.addresses.callback(request));
    return { client_id: address, ...described } as ClientDocumentDto;
  }
}
