import { Body, Controller, Get, HttpCode, HttpStatus, Post, Put } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../common/audit/audited.decorator';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope, NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { RecentSignInRequiredError, ScopeRequiredError } from '../../../common/security/security.errors';
import { LastLoginMethodError } from '../../identity/identity.api';
import { EmailTestDto, TestMailResultDto } from './email-test.dto';
import { EmailTestService } from './email-test.service';
import { SettingsDto, UpdateSettingsDto } from './settings.dto';
import { SettingsAdministrationService } from './settings-administration.service';

@ApiTags('Settings')
@AdminOnly()
@Enveloped()
@Controller('admin/settings')
export class SettingsController {
  constructor(
    private readonly settings: SettingsAdministrationService,
    private readonly mails: EmailTestService,
  ) {}

  @Get()
  @KeyScope('admin:read')
  @ApiOperation({
    operationId: 'admin.settings.read',
    summary: 'Retrieve the settings',
    description:
      'Returns the settings of the installation, such as who may register, who may use a password, and how ' +
      'long API keys may live.',
  })
  @EnvelopedResponse(SettingsDto)
  get(): Promise<SettingsDto> {
    return this.settings.get();
  }

  @Put()
  @KeyScope('admin:write')
  @BodyLimit(LARGE_BODY)
  @Enveloped('messages.settings_updated')
  @ApiOperation({
    operationId: 'admin.settings.update',
    summary: 'Update the settings',
    description: 'Takes effect within five seconds, on every instance. Existing users and API keys are not affected.',
  })
  @EnvelopedResponse(SettingsDto)
  @ApiErrors(LastLoginMethodError, ScopeRequiredError, RecentSignInRequiredError)
  update(@CurrentContext() { principal }: RequestContext, @Body() body: UpdateSettingsDto): Promise<SettingsDto> {
    return this.settings.update(principal, body);
  }

  @Post('test_mail')
  @NoKeys()
  @HttpCode(HttpStatus.OK)
  // Omits the address, because it may belong to another person and the account's erasure would not remove it.
  @Audited('email.test', 'email')
  @ApiOperation({
    operationId: 'admin.settings.testMail',
    summary: 'Send a test email',
    description:
      'Hands the email to the mail server at once, for at most 30 seconds; `POST /admin/email/test` queues it ' +
      'instead. A failure also returns 200, with `ok: false`, the `reason` and the response of the mail ' +
      'server. API keys cannot call this route.',
  })
  @ApiBody({ type: EmailTestDto, required: false })
  @EnvelopedResponse(TestMailResultDto)
  testMail(@CurrentContext() context: RequestContext, @Body() body: EmailTestDto): Promise<TestMailResultDto> {
    return this.mails.try(context, body);
  }
}
