import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { CurrentUser } from '../../../common/security/current-user.decorator';
import { Principal } from '../../../common/security/principal';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { EmailSendFailedError } from '../../../integrations/mail/mail.errors';
import { EmailTestDto, EmailTestResultDto } from './email-test.dto';
import { EmailTestService } from './email-test.service';

@ApiTags('Admin: settings')
@AdminOnly()
@Enveloped('messages.test_mail_queued')
@Controller('admin/email')
export class EmailTestController {
  constructor(private readonly tests: EmailTestService) {}

  @Post('test')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a test mail',
    description: 'Answers when the mail is queued; it goes out at once. 503 while the mail server is down.',
  })
  @ApiBody({ type: EmailTestDto, required: false })
  @EnvelopedResponse(EmailTestResultDto, { description: 'Where it goes.' })
  @ApiErrors(EmailSendFailedError)
  send(
    @CurrentContext() caller: RequestContext,
    @CurrentUser() principal: Principal,
    @Body() body: EmailTestDto,
  ): Promise<EmailTestResultDto> {
    return this.tests.send(caller, principal, body);
  }
}
