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
import { ScopeRequiredError } from '../../../common/security/security.errors';
import { LastLoginMethodError } from '../../identity/identity.api';
import { EmailTestDto, TestMailResultDto } from './email-test.dto';
import { EmailTestService } from './email-test.service';
import { SettingsDto, UpdateSettingsDto } from './settings.dto';
import { SettingsAdministrationService } from './settings-administration.service';

@ApiTags('Admin: settings')
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
    summary: 'The settings of the installation',
    description: 'Who may register, whom passwords let in, and how long API keys may live.',
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
    summary: 'Change the settings of the installation',
    description:
      'Counts at once, on every instance within five seconds. Users who are registered and API keys that exist are not ' +
      'affected.',
  })
  @EnvelopedResponse(SettingsDto)
  @ApiErrors(LastLoginMethodError, ScopeRequiredError)
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
    summary: 'Send a mail now, and hear what the mail server says',
    description:
      'Unlike `POST /admin/email/test`, which queues a mail, this hands it over at once, for at most 30 seconds. A failure is ' +
      '200 too: then `ok` is false, and `reason`, the reply code and the words of the mail server say why. Not with an API key.',
  })
  @ApiBody({ type: EmailTestDto, required: false })
  @EnvelopedResponse(TestMailResultDto)
  testMail(@CurrentContext() context: RequestContext, @Body() body: EmailTestDto): Promise<TestMailResultDto> {
    return this.mails.try(context, body);
  }
}
