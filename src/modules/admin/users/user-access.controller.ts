import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../../common/envelope/enveloped.decorator';
import { EnvelopedResponse } from '../../../common/envelope/enveloped-response.decorator';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { AdminOnly } from '../../../common/security/access.decorator';
import { KeyScope, NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../../common/security/request-context';
import { RecentSignInRequiredError } from '../../../common/security/security.errors';
import { IdPipe } from '../../../common/validation/id.pipe';
import {
  AdminNotErasableError,
  EmailAlreadyRegisteredError,
  LastAdminError,
  UsernameTakenError,
  UserNotFoundError,
} from '../../user/user.api';
import { AdminUserDto, LoggedOutUserDto, ReinstatedUserDto, RestoredUserDto, UnbannedUserDto } from './admin-user.dto';
import { BanUserDto } from './ban-user.dto';
import { ClosedUserDto, EraseUserDto } from './closed-user.dto';
import { RestoreUserDto } from './restore-user.dto';
import { UserAccessService } from './user-access.service';

@ApiTags('People')
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
    description: 'Until the ban ends, requests of the user return 403 `ACCOUNT_BANNED`. Running replies are stopped.',
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
    summary: 'Unban a user',
    description: 'If the user is not banned, nothing changes.',
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
    summary: 'Reinstate a user',
    description:
      'Lifts a suspension by the directory of an identity provider, if the directory cannot lift it itself. ' +
      'API keys work again; ended sessions do not. If the user is not suspended, nothing changes.',
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
    summary: 'Revoke all sessions of a user',
    description: 'The user is signed out everywhere and can sign in again.',
  })
  @EnvelopedResponse(LoggedOutUserDto)
  @ApiErrors(UserNotFoundError)
  revokeSessions(@Param('id', IdPipe) id: number): Promise<LoggedOutUserDto> {
    return this.access.revokeSessions(id);
  }

  @Post('erase')
  @NoKeys()
  @HttpCode(HttpStatus.OK)
  @Enveloped('messages.user_erased')
  @ApiOperation({
    operationId: 'admin.users.erase',
    summary: 'Erase a user account',
    description:
      'Closes the account at once, also if it is banned, suspended or already closed, and erases its content ' +
      'without the usual delay; this cannot be undone. Needs an access token of a sign-in within the last hour. ' +
      'Repeating the request changes nothing; after the erasure, it returns 404.',
  })
  @EnvelopedResponse(ClosedUserDto, { description: 'When the erasure became due.' })
  @ApiErrors(RecentSignInRequiredError, UserNotFoundError, AdminNotErasableError)
  erase(
    @CurrentContext() { principal }: RequestContext,
    @Param('id', IdPipe) id: number,
    @Body() { username }: EraseUserDto,
  ): Promise<ClosedUserDto> {
    return this.access.erase(principal, id, username);
  }

  @Post('restore')
  @HttpCode(HttpStatus.OK)
  @Enveloped(({ restored }: RestoredUserDto) => (restored ? 'messages.user_restored' : 'messages.user_not_closed'))
  @ApiOperation({
    operationId: 'admin.users.restore',
    summary: 'Restore a closed account',
    description:
      'Restores the account with all content until it is erased; `GET /admin/users?status=closed` lists ' +
      'closed accounts. The owner receives an email and signs in with a code or sets a new password: API keys ' +
      'work again, but old sessions and the old password do not. If the account is open, nothing changes.',
  })
  @ApiBody({ type: RestoreUserDto, required: false })
  @EnvelopedResponse(RestoredUserDto)
  @ApiErrors(UserNotFoundError, EmailAlreadyRegisteredError, UsernameTakenError)
  restore(@Param('id', IdPipe) id: number, @Body() body: RestoreUserDto): Promise<RestoredUserDto> {
    return this.access.restore(id, body);
  }
}
