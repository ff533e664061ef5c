import { Controller, Get, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { TooManyExportsError } from '../account/user.errors';
import { PersonalDataExport } from './personal-data-export';

/** Each member except the first two is a list of rows. */
const EXAMPLE = {
  exported_at: '2026-07-31T12:00:00.000Z',
  user_id: 42,
  account: [{ id: 42, username: 'ada', email: 'ada@example.com', bio: null, settings: {} }],
  sessions: [{ id: 7, ip: '203.0.113.7', user_agent: 'Mozilla/5.0', created_at: '2026-07-31T12:00:00.000Z' }],
  payments: [],
  chats: [{ id: 1, title: 'Trip to Lisbon', agent_id: 1, tags: ['travel'] }],
  messages: [{ id: 1, chat_id: 1, role: 'user', content: 'What should I see in Lisbon?' }],
  files: [{ hash: '9f86d081884c7d65…', media_type: 'image/png', name: 'lisbon.png', bytes: 4, data: 'iVBORw==' }],
  request_keys: [],
  webhooks: [],
  webhook_events: [],
  audit_logs: [],
};

@ApiTags('Account')
@Authenticated()
@NoKeys()
@Controller('user')
export class PersonalDataController {
  constructor(private readonly exports: PersonalDataExport) {}

  @Get('export')
  @ApiOperation({
    operationId: 'account.export',
    summary: 'Export your data',
    description:
      'Streams one JSON object with a list for each kind of data; without its last brace, the export is ' +
      'incomplete. A user can run two exports at once and six per hour.',
  })
  @ApiOkResponse({
    description: 'The export file.',
    content: { 'application/json': { schema: { type: 'object', additionalProperties: true }, example: EXAMPLE } },
  })
  @ApiErrors(TooManyExportsError)
  export(
    @CurrentContext() { principal }: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return this.exports.of(principal.userId, response);
  }
}
