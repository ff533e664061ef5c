import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedPageResponse, EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import type { Page } from '../../../common/envelope/page.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { IdPipe } from '../../../common/validation/id.pipe';
import { SessionNotFoundError } from '../account/user.errors';
import { AdminSessionDto, EndedSessionDto, ListSessionsQueryDto } from './admin-session.dto';
import { AdminSessionsService } from './admin-sessions.service';

@ApiTags('People')
@AdminOnly()
@NoKeys()
@Enveloped()
@Controller('admin/sessions')
export class AdminSessionsController {
  constructor(private readonly sessions: AdminSessionsService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin.sessions.list',
    summary: 'List sessions of all users',
    description: 'Returns logins in browsers and approved command-line programs, newest first.',
  })
  @EnvelopedPageResponse(AdminSessionDto)
  list(@Query() query: ListSessionsQueryDto): Promise<Page<AdminSessionDto>> {
    return this.sessions.list(query);
  }

  @Delete(':id')
  @Enveloped('messages.session_ended')
  @ApiOperation({
    operationId: 'admin.sessions.end',
    summary: 'End a session of any user',
    description: 'Ends the session and all its tokens, on every instance within five seconds.',
  })
  @EnvelopedResponse(EndedSessionDto)
  @ApiErrors(SessionNotFoundError)
  async end(@Param('id', IdPipe) id: number): Promise<EndedSessionDto> {
    await this.sessions.end(id);
    return { id };
  }
}
