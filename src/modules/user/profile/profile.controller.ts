import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { BodyLimit, LARGE_BODY } from '../../../common/http/body-rules.decorator';
import { Authenticated } from '../../../common/security/access.decorator';
import { CurrentUser } from '../../../common/security/current-user.decorator';
import { Principal } from '../../../common/security/principal';
import { UsernameTakenError } from '../account/user.errors';
import { ProfileDto, UpdateProfileDto } from './profile.dto';
import { ProfileService } from './profile.service';
import { UpdateUserSettingsDto, UserSettingsDto } from './user-settings.dto';

@ApiTags('User')
@Authenticated()
@Controller('user')
export class ProfileController {
  constructor(private readonly profiles: ProfileService) {}

  @Get('profile')
  @ApiOperation({ summary: 'How the user appears', description: 'Name, picture, language and some words.' })
  @ApiOkResponse({ type: ProfileDto })
  profile(@CurrentUser() principal: Principal): Promise<ProfileDto> {
    return this.profiles.profile(principal.userId);
  }

  @Put('profile')
  @ApiOperation({ summary: 'Change the profile', description: 'Absent members stay as they are; null empties.' })
  @ApiOkResponse({ type: ProfileDto })
  @ApiErrors(UsernameTakenError)
  updateProfile(@CurrentUser() principal: Principal, @Body() update: UpdateProfileDto): Promise<ProfileDto> {
    return this.profiles.updateProfile(principal.userId, update);
  }

  @Get('settings')
  @ApiOperation({ summary: 'What the user has set up', description: 'What was never set up has its default.' })
  @ApiOkResponse({ type: UserSettingsDto })
  settings(@CurrentUser() principal: Principal): Promise<UserSettingsDto> {
    return this.profiles.settings(principal.userId);
  }

  @Put('settings')
  @BodyLimit(LARGE_BODY)
  @ApiOperation({
    summary: 'Change settings',
    description: 'Absent members stay as they are. A default agent must be one that you can chat with now.',
  })
  @ApiOkResponse({ type: UserSettingsDto })
  updateSettings(@CurrentUser() principal: Principal, @Body() update: UpdateUserSettingsDto): Promise<UserSettingsDto> {
    return this.profiles.updateSettings(principal, update);
  }
}
