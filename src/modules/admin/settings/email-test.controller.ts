import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { EmailSendFailedError } from '../../../integrations/mail/mail.errors';
import { EmailTestDto, EmailTestResultDto } from './email-test.dto';
import { EmailTestService } from './email-test.service';

@ApiTags('Settings')
@AdminOnly()
@KeyScope('admin:write')
@Enveloped(({ delivery }: EmailTestResultDto) =>
  delivery === 'server' ? 'messages.test_mail_queued' : 'messages.test_mail_printed',
)
@Controller('admin/email')
export class EmailTestController {
  constructor(private readonly tests: EmailTestService) {}

  @Post('test')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'admin.email.test',
    summary: 'Queue a test email',
    description:
      'Returns as soon as the email is queued, or 503 while the mail server is unreachable. Without a mail ' +
      'server, the email is written to the log, as `delivery` reports.',
  })
  @ApiBody({ type: EmailTestDto, required: false })
  @EnvelopedResponse(EmailTestResultDto)
  @ApiErrors(EmailSendFailedError)
  send(@CurrentContext() context: RequestContext, @Body() body: EmailTestDto): Promise<EmailTestResultDto> {
    return this.tests.send(context, body);
  }
}
