import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body/body-rules.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { UsernameTakenError } from '../account/user.errors';
import { ProfileDto, toProfileDto, UpdateProfileDto } from './profile.dto';
import { ProfileService } from './profile.service';
import { toUserSettingsDto, UpdateUserSettingsDto, UserSettingsDto } from './user-settings.dto';

@ApiTags('Account')
@Authenticated()
@NoKeys()
@Controller('user')
export class ProfileController {
  constructor(private readonly profiles: ProfileService) {}

  @Get('profile')
  @ApiOperation({
    operationId: 'profile.read',
    summary: 'Retrieve your profile',
    description: 'Returns the name, picture, language and bio.',
  })
  @ApiOkResponse({ type: ProfileDto })
  async profile(@CurrentContext() { principal }: RequestContext): Promise<ProfileDto> {
    return toProfileDto(await this.profiles.profile(principal.userId));
  }

  @Put('profile')
  @ApiOperation({
    operationId: 'profile.update',
    summary: 'Update your profile',
    description: 'Fields that you omit stay unchanged; null clears a field.',
  })
  @ApiOkResponse({ type: ProfileDto })
  @ApiErrors(UsernameTakenError)
  async updateProfile(
    @CurrentContext() { principal }: RequestContext,
    @Body() update: UpdateProfileDto,
  ): Promise<ProfileDto> {
    return toProfileDto(await this.profiles.updateProfile(principal.userId, update));
  }

  @Get('settings')
  @ApiOperation({
    operationId: 'settings.read',
    summary: 'Retrieve your settings',
    description: 'Settings that you have never changed have their default values.',
  })
  @ApiOkResponse({ type: UserSettingsDto })
  async settings(@CurrentContext() { principal }: RequestContext): Promise<UserSettingsDto> {
    return toUserSettingsDto(await this.profiles.settings(principal));
  }

  @Put('settings')
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    operationId: 'settings.update',
    summary: 'Update your settings',
    description: 'Fields that you omit stay unchanged. The default agent must be one that you can chat with now.',
  })
  @ApiOkResponse({ type: UserSettingsDto })
  async updateSettings(
    @CurrentContext() context: RequestContext,
    @Body() update: UpdateUserSettingsDto,
  ): Promise<UserSettingsDto> {
    return toUserSettingsDto(await this.profiles.updateSettings(context, update));
  }
}
