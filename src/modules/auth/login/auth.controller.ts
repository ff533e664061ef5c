import { Body, Controller, Get, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { acknowledge, AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { CountedBySession } from '../../../common/rate-limit/counted-by-session.decorator';
import { Authenticated, Public } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, PublicRequestContext, RequestContext } from '../../../common/security/request-context';
import { AccountBannedError, IdentitySuspendedError } from '../../../common/security/security.errors';
import { EmailSendFailedError } from '../../../integrations/mail/mail.errors';
import {
  EmailAlreadyRegisteredError,
  RegistrationDisabledError,
  SessionService,
  UserDto,
  UsernameTakenError,
  UserNotRegisteredError,
  UserService,
} from '../../user/user.api';
import { AccountLockedError, InvalidCredentialsError } from '../attempts/attempt.errors';
import { PasswordLoginDisabledError } from '../attempts/login.errors';
import { DeviceCookie } from '../clients/device-cookie';
import { SendCodeDto } from '../codes/code.dto';
import { CodeSendTooFrequentError, InvalidCodeError, LoginCodeInvalidError } from '../codes/code.errors';
import { CodeSender } from '../codes/code-sender';
import { LinkCodeSender } from '../codes/link-code-sender';
import { CredentialsService } from '../credentials/credentials.service';
import { ResetPasswordDto } from '../credentials/password.dto';
import { InvitationInvalidError } from '../invitations/invitation.errors';
import { BrowserSessions } from '../tokens/browser-sessions';
import { LogoutAddresses } from '../tokens/logout-addresses';
import { ApiTokens, CookieSessionDto, LoggedOutDto, RefreshTokenDto, TokenPairDto } from '../tokens/token.dto';
import { RefreshTokenInvalidError, RefreshTokenReusedError, SameOriginRequiredError } from '../tokens/token.errors';
import { LoginDto, VerifyDto } from './login.dto';
import { LoginService } from './login.service';
import { RegisterDto } from './register.dto';
import { RegistrationService } from './registration.service';

@ApiTags('Sign-in')
@NoKeys()
@Controller('auth')
export class AuthController {
  constructor(
    private readonly codes: CodeSender,
    private readonly linkCodes: LinkCodeSender,
    private readonly logins: LoginService,
    private readonly registrations: RegistrationService,
    private readonly credentials: CredentialsService,
    private readonly browserSessions: BrowserSessions,
    private readonly devices: DeviceCookie,
    private readonly sessions: SessionService,
    private readonly logoutAddresses: LogoutAddresses,
    private readonly users: UserService,
  ) {}

  @Post('send_code')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'auth.sendCode',
    summary: 'Send a one-time code',
    description:
      'The response is the same whether or not the address has an account. A code that is still valid is sent ' +
      'again.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(
    CodeSendTooFrequentError,
    EmailSendFailedError,
    InvitationInvalidError,
    LoginCodeInvalidError,
    PasswordLoginDisabledError,
    RegistrationDisabledError,
  )
  async sendCode(
    @CurrentContext() context: PublicRequestContext,
    @Body() body: SendCodeDto,
    @Req() request: Request,
  ): Promise<AcknowledgementDto> {
    const client = this.devices.describe(context, request);
    const { email = '', purpose, link_token: linkToken = '', lang, invitation } = body;
    await (purpose === 'link_identity'
      ? this.linkCodes.send(client, linkToken, lang)
      : this.codes.send(client, { email, purpose, lang, ...(invitation !== undefined && { invitation }) }));
    return acknowledge(context.language, this.codes.isSending ? 'code_sent' : 'code_printed');
  }

  @Post('verify')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'auth.verify',
    summary: 'Sign in with a code',
    description:
      'Accepts codes for the purposes `login` and `register`. If the code is correct but the address has no ' +
      'account, returns 404. The code then still works for `POST /auth/register`.',
  })
  @ApiTokens()
  @ApiErrors(
    InvalidCodeError,
    UserNotRegisteredError,
    AccountBannedError,
    IdentitySuspendedError,
    PasswordLoginDisabledError,
    SameOriginRequiredError,
  )
  verify(
    @CurrentContext() context: PublicRequestContext,
    @Body() login: VerifyDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenPairDto | CookieSessionDto> {
    return this.browserSessions.signIn(response, context, login, (client) =>
      this.logins.logInWithCode(client, login.email, login.code),
    );
  }

  @Post('register')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'auth.register',
    summary: 'Register an account',
    description:
      'Creates the account and signs in, with a code for the purpose `register`. An `invitation` allows ' +
      'registration even if it is closed.',
  })
  @ApiTokens()
  @ApiErrors(
    InvalidCodeError,
    InvitationInvalidError,
    EmailAlreadyRegisteredError,
    UsernameTakenError,
    PasswordLoginDisabledError,
    RegistrationDisabledError,
    SameOriginRequiredError,
  )
  register(
    @CurrentContext() context: PublicRequestContext,
    @Body() registration: RegisterDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenPairDto | CookieSessionDto> {
    return this.browserSessions.signIn(response, context, registration, (client) =>
      this.registrations.register(client, registration),
    );
  }

  @Post('login')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'auth.logIn',
    summary: 'Sign in with a password',
    description: 'With `verification_code` instead of `password`, works like `POST /auth/verify`.',
  })
  @ApiTokens()
  @ApiErrors(
    InvalidCredentialsError,
    AccountLockedError,
    AccountBannedError,
    IdentitySuspendedError,
    InvalidCodeError,
    PasswordLoginDisabledError,
    UserNotRegisteredError,
    SameOriginRequiredError,
  )
  logIn(
    @CurrentContext() context: PublicRequestContext,
    @Body() login: LoginDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenPairDto | CookieSessionDto> {
    return this.browserSessions.signIn(response, context, login, (client) => this.logins.logIn(client, login));
  }

  @Get('me')
  @Authenticated()
  @ApiOperation({
    operationId: 'auth.me',
    summary: 'Retrieve the signed-in user',
    description: 'Returns the user of the access token.',
  })
  @ApiOkResponse({ type: UserDto })
  me(@CurrentContext() { principal }: RequestContext): Promise<UserDto> {
    return this.users.describe(principal.userId);
  }

  @Post('refresh_token')
  @CountedBySession(BrowserSessions)
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'auth.refresh',
    summary: 'Refresh the tokens',
    description:
      'Returns a new token pair for a refresh token, which works once, and ten seconds longer for browser ' +
      'tabs that refresh at the same time. Later use ends the session. A valid token counts only against its ' +
      'session, 30 times per minute.',
  })
  @ApiTokens()
  @ApiErrors(RefreshTokenInvalidError, RefreshTokenReusedError, AccountBannedError, SameOriginRequiredError)
  refresh(
    @Body() body: RefreshTokenDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenPairDto | CookieSessionDto> {
    return this.browserSessions.refresh(response, body);
  }

  @Post('reset_password')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'auth.resetPassword',
    summary: 'Reset your password',
    description: 'Sets a new password with a code, and ends all sessions of the user.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(InvalidCodeError, PasswordLoginDisabledError)
  async resetPassword(
    @CurrentContext() context: PublicRequestContext,
    @Body() reset: ResetPasswordDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcknowledgementDto> {
    await this.credentials.reset(this.devices.describe(context, response.req), reset);
    this.browserSessions.removeCookie(response);
    return acknowledge(context.language, 'password_reset');
  }

  @Post('logout')
  @Authenticated()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'auth.logOut',
    summary: 'Sign out',
    description:
      'Ends the current session and all its tokens. If the response has a `logout_url`, open it in the ' +
      'browser to sign out of the identity provider too.',
  })
  @ApiOkResponse({ type: LoggedOutDto })
  async logOut(
    @CurrentContext() { principal, language }: RequestContext,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LoggedOutDto> {
    const { userId, sessionId } = principal;
    const url = await this.logoutAddresses.of(userId, sessionId, response.req);
    await this.sessions.revoke(userId, sessionId);
    this.browserSessions.removeCookie(response);
    return { ...acknowledge(language, 'logged_out'), ...(url !== null && { logout_url: url }) };
  }
}
