import { Controller, Delete, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Audited, AuditEverybody } from '../../../common/audit/audited.decorator';
import { acknowledge, AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import { setTotalCount, TOTAL_COUNT } from '../../../common/envelope/total-count';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { IdPipe } from '../../../common/validation/id.pipe';
import { SessionNotFoundError } from '../account/user.errors';
import { SessionDto, toSessionDto } from './session.dto';
import { SessionService } from './session.service';

@ApiTags('Account')
@Authenticated()
@NoKeys()
@AuditEverybody()
@Controller('user/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionService) {}

  @Get()
  @ApiOperation({
    operationId: 'sessions.list',
    summary: 'List your sessions',
    description: 'Returns logins in browsers and approved command-line programs, newest first.',
  })
  @ApiOkResponse({ type: [SessionDto], headers: TOTAL_COUNT })
  async list(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: ListQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto[]> {
    const { items, total } = await this.sessions.list(principal.userId, query);
    return setTotalCount(response, {
      items: items.map((session) => toSessionDto(session, principal.sessionId)),
      total,
    });
  }

  @Delete()
  @Audited('session.end_others', 'session')
  @ApiOperation({
    operationId: 'sessions.endOthers',
    summary: 'End all other sessions',
    description: 'Signs the user out everywhere except in the current session.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  async endOthers(@CurrentContext() context: RequestContext): Promise<AcknowledgementDto> {
    const ended = await this.sessions.endOthers(context);
    return acknowledge(context.language, ended === 0 ? 'no_other_sessions' : 'sessions_ended');
  }

  @Delete(':id')
  @Audited('session.end', 'session')
  @ApiOperation({
    operationId: 'sessions.end',
    summary: 'End a session',
    description: 'Ends the session and all its tokens.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(SessionNotFoundError)
  async end(
    @CurrentContext() { principal, language }: RequestContext,
    @Param('id', IdPipe) id: number,
  ): Promise<AcknowledgementDto> {
    await this.sessions.end(principal.userId, id);
    return acknowledge(language, 'session_ended');
  }
}
