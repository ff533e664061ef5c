import { Controller, Get, Header, HttpCode, HttpStatus, Injectable, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { API_PREFIX } from '../../../common/http/api-prefix';
import { CountedBySession, type SessionFinder } from '../../../common/rate-limit/counted-by-session.decorator';
import { AnswersBrowsers } from '../../../common/redirects/answers-browsers.decorator';
import { returnFailuresTo, withParameter } from '../../../common/redirects/browser-page.filter';
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

@ApiTags('User')
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
    summary: 'Come back from an authorization server',
    description:
      'For browsers, which the authorization server sends there. Leads to the page that began; to /console when no connection waits for the answer, and without a console to a plain page.',
  })
  @ApiQuery({ name: 'state', required: false, type: String, description: 'Which connection it answers.' })
  @ApiQuery({ name: 'code', required: false, type: String, description: 'What is exchanged for tokens.' })
  @ApiQuery({ name: 'iss', required: false, type: String, description: 'Who answers.' })
  @ApiQuery({ name: 'error', required: false, type: String, description: 'Why there is no code.' })
  @ApiResponse({ status: HttpStatus.FOUND, description: 'To the page, with `connected` or `error`.' })
  async callback(@Req() request: Request, @Res() response: Response): Promise<void> {
    const answer = new URL(request.originalUrl, 'http://service').searchParams;
    const flow = await this.callbacks.spend(answer);
    returnFailuresTo(request, flow.returnTo);
    const label = await this.callbacks.finish(response, flow, answer);
    response.redirect(HttpStatus.FOUND, withParameter(flow.returnTo, 'connected', label));
  }

  @Get('client.json')
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOperation({
    operationId: 'connections.clientDocument',
    summary: 'What this service says of itself',
    description: 'For authorization servers (client id metadata document). Only where the service is reached by https.',
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
