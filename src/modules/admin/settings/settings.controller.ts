import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { ScopeRequiredError } from '../../../common/security/security.errors';
import { LastLoginMethodError } from '../../identity/identity.api';
import { SettingsDto, UpdateSettingsDto } from './settings.dto';
import { SettingsAdministrationService } from './settings-administration.service';

@ApiTags('Admin: settings')
@AdminOnly()
@Enveloped()
@Controller('admin/settings')
export class SettingsController {
  constructor(private readonly settings: SettingsAdministrationService) {}

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
}
