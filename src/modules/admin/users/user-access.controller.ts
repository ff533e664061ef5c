import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorators';
import { Caller, CallerContext } from '../../../common/security/caller';
import { IdPipe } from '../../../common/validation/id.pipe';
import { LastAdminError, UserNotFoundError } from '../../user/user.errors';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { AdminUserDto } from './admin-user.dto';
import { BanUserDto } from './ban-user.dto';
import { UserAccessService } from './user-access.service';

@ApiTags('Admin: users')
@AdminOnly()
@Enveloped()
@Controller('admin/users/:id')
export class UserAccessController {
  constructor(private readonly access: UserAccessService) {}

  @Post('ban')
  @HttpCode(200)
  @Enveloped('messages.user_banned')
  @ApiOperation({
    summary: 'Ban a user',
    description: 'The user’s next request is answered with 403 ACCOUNT_BANNED, until the end of the ban.',
  })
  @EnvelopedResponse(AdminUserDto, { description: 'The banned user.' })
  @ApiErrors(UserNotFoundError, LastAdminError)
  ban(
    @CallerContext() caller: Caller,
    @Param('id', IdPipe) id: number,
    @Body() body: BanUserDto,
  ): Promise<AdminUserDto> {
    return this.access.ban(caller, id, body);
  }

  @Post('unban')
  @HttpCode(200)
  @Enveloped('messages.user_unbanned')
  @ApiOperation({ summary: 'Lift a ban', description: 'Does no harm to a user who is not banned.' })
  @EnvelopedResponse(AdminUserDto, { description: 'The user.' })
  @ApiErrors(UserNotFoundError)
  unban(@CallerContext() caller: Caller, @Param('id', IdPipe) id: number): Promise<AdminUserDto> {
    return this.access.unban(caller, id);
  }

  @Post('revoke_sessions')
  @HttpCode(200)
  @ApiOperation({ summary: 'Log a user out everywhere', description: 'Ends all logins; the user may log in again.' })
  @EnvelopedResponse(AdminUserDto, { description: 'The user.' })
  @ApiErrors(UserNotFoundError)
  revokeSessions(@CallerContext() caller: Caller, @Param('id', IdPipe) id: number): Promise<AdminUserDto> {
    return this.access.revokeSessions(caller, id);
  }
}
