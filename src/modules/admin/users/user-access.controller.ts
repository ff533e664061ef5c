import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope } from '../../../common/security/key-scope.decorator';
import { IdPipe } from '../../../common/validation/id.pipe';
import {
  EmailAlreadyRegisteredError,
  LastAdminError,
  UsernameTakenError,
  UserNotFoundError,
} from '../../user/user.api';
import { AdminUserDto, LoggedOutUserDto, ReinstatedUserDto, RestoredUserDto, UnbannedUserDto } from './admin-user.dto';
import { BanUserDto } from './ban-user.dto';
import { RestoreUserDto } from './restore-user.dto';
import { UserAccessService } from './user-access.service';

@ApiTags('Admin: users')
@AdminOnly()
@KeyScope('admin:write')
@Enveloped()
@Controller('admin/users/:id')
export class UserAccessController {
  constructor(private readonly access: UserAccessService) {}

  @Post('ban')
  @HttpCode(HttpStatus.OK)
  @Enveloped('messages.user_banned')
  @ApiOperation({
    operationId: 'admin.users.ban',
    summary: 'Ban a user',
    description:
      'From the next request to the end of the ban the user gets 403 ACCOUNT_BANNED. Running replies are stopped.',
  })
  @EnvelopedResponse(AdminUserDto)
  @ApiErrors(UserNotFoundError, LastAdminError)
  ban(@Param('id', IdPipe) id: number, @Body() body: BanUserDto): Promise<AdminUserDto> {
    return this.access.ban(id, body);
  }

  @Post('unban')
  @HttpCode(HttpStatus.OK)
  @Enveloped(({ unbanned }: UnbannedUserDto) => (unbanned ? 'messages.user_unbanned' : 'messages.user_not_banned'))
  @ApiOperation({
    operationId: 'admin.users.unban',
    summary: 'Lift a ban',
    description: 'Changes nothing for a user who is not banned, and says so.',
  })
  @EnvelopedResponse(UnbannedUserDto)
  @ApiErrors(UserNotFoundError)
  unban(@Param('id', IdPipe) id: number): Promise<UnbannedUserDto> {
    return this.access.unban(id);
  }

  @Post('reinstate')
  @HttpCode(HttpStatus.OK)
  @Enveloped(({ reinstated }: ReinstatedUserDto) =>
    reinstated ? 'messages.user_reinstated' : 'messages.user_not_suspended',
  )
  @ApiOperation({
    operationId: 'admin.users.reinstate',
    summary: 'Lift a suspension',
    description:
      'For accounts that the directory of an identity provider suspended, and cannot or may not reinstate. API keys work ' +
      'again; sessions do not. Changes nothing for a user who is not suspended, and says so.',
  })
  @EnvelopedResponse(ReinstatedUserDto)
  @ApiErrors(UserNotFoundError)
  reinstate(@Param('id', IdPipe) id: number): Promise<ReinstatedUserDto> {
    return this.access.reinstate(id);
  }

  @Post('revoke_sessions')
  @HttpCode(HttpStatus.OK)
  @Enveloped(({ sessions_ended }: LoggedOutUserDto) =>
    sessions_ended === 0 ? 'messages.user_not_logged_in' : 'messages.user_logged_out',
  )
  @ApiOperation({
    operationId: 'admin.users.revokeSessions',
    summary: 'Log a user out everywhere',
    description: 'Ends all logins; the user may log in again.',
  })
  @EnvelopedResponse(LoggedOutUserDto)
  @ApiErrors(UserNotFoundError)
  revokeSessions(@Param('id', IdPipe) id: number): Promise<LoggedOutUserDto> {
    return this.access.revokeSessions(id);
  }

  @Post('restore')
  @HttpCode(HttpStatus.OK)
  @Enveloped(({ restored }: RestoredUserDto) => (restored ? 'messages.user_restored' : 'messages.user_not_closed'))
  @ApiOperation({
    operationId: 'admin.users.restore',
    summary: 'Open a closed account again',
    description:
      'Possible until the erasure, with all content; GET /admin/users?status=closed lists closed ones. The owner ' +
      'gets a mail and logs in with a code or sets a new password: old sessions and the old password stay invalid, API ' +
      'keys live again. ' +
      'Changes nothing for an open account, and says so.',
  })
  @ApiBody({ type: RestoreUserDto, required: false })
  @EnvelopedResponse(RestoredUserDto)
  @ApiErrors(UserNotFoundError, EmailAlreadyRegisteredError, UsernameTakenError)
  restore(@Param('id', IdPipe) id: number, @Body() body: RestoreUserDto): Promise<RestoredUserDto> {
    return this.access.restore(id, body);
  }
}
