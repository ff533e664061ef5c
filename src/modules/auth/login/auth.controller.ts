import { Body, Controller, Get, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { acknowledge, AcknowledgementDto } from '../../../common/envelope/acknowledgement.dto';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { Authenticated, Public } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, PublicRequestContext, RequestContext } from '../../../common/security/request-context';
import { AccountBannedError } from '../../../common/security/security.errors';
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
import { SendCodeDto } from '../codes/code.dto';
import { CodeSendTooFrequentError, InvalidCodeError } from '../codes/code.errors';
import { CodeSender } from '../codes/code-sender';
import { CredentialsService } from '../credentials/credentials.service';
import { ResetPasswordDto } from '../credentials/password.dto';
import { RefreshTokenDto, TokenPairDto } from '../tokens/token.dto';
import { RefreshTokenInvalidError, RefreshTokenReusedError } from '../tokens/token.errors';
import { TokenRefresher } from '../tokens/token-refresher';
import { LoginDto, VerifyDto } from './login.dto';
import { LoginService } from './login.service';
import { RegisterDto } from './register.dto';
import { RegistrationService } from './registration.service';

@ApiTags('Authentication')
@NoKeys()
@Controller('auth')
export class AuthController {
  constructor(
    private readonly codes: CodeSender,
    private readonly logins: LoginService,
    private readonly registrations: RegistrationService,
    private readonly credentials: CredentialsService,
    private readonly refresher: TokenRefresher,
    private readonly sessions: SessionService,
    private readonly users: UserService,
  ) {}

  @Post('send_code')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Send a one-time code by e-mail',
    description: 'The answer is the same whether or not the address has an account.',
  })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(CodeSendTooFrequentError, EmailSendFailedError, RegistrationDisabledError)
  async sendCode(
    @CurrentContext() context: PublicRequestContext,
    @Body() request: SendCodeDto,
  ): Promise<AcknowledgementDto> {
    await this.codes.send(context, request);
    return acknowledge(context.language, 'code_sent');
  }

  @Post('verify')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Log in with a code',
    description:
      'Takes codes of purpose `login` and `register`. 404 after a right code means that the address has no account; the code stays usable for POST /auth/register.',
  })
  @ApiOkResponse({ type: TokenPairDto })
  @ApiErrors(InvalidCodeError, UserNotRegisteredError, AccountBannedError)
  verify(@CurrentContext() context: PublicRequestContext, @Body() { email, code }: VerifyDto): Promise<TokenPairDto> {
    return this.logins.logInWithCode(context, email, code);
  }

  @Post('register')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Make an account and log in', description: 'Needs a code of purpose `register`.' })
  @ApiOkResponse({ type: TokenPairDto })
  @ApiErrors(InvalidCodeError, EmailAlreadyRegisteredError, UsernameTakenError, RegistrationDisabledError)
  register(@CurrentContext() context: PublicRequestContext, @Body() registration: RegisterDto): Promise<TokenPairDto> {
    return this.registrations.register(context, registration);
  }

  @Post('login')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Log in with a password',
    description: 'With `verification_code` instead of `password` it does what POST /auth/verify does.',
  })
  @ApiOkResponse({ type: TokenPairDto })
  @ApiErrors(InvalidCredentialsError, AccountLockedError, AccountBannedError, InvalidCodeError, UserNotRegisteredError)
  logIn(@CurrentContext() context: PublicRequestContext, @Body() login: LoginDto): Promise<TokenPairDto> {
    return this.logins.logIn(context, login);
  }

  @Get('me')
  @Authenticated()
  @ApiOperation({ summary: 'The current user', description: 'Whom the access token belongs to.' })
  @ApiOkResponse({ type: UserDto })
  me(@CurrentContext() { principal }: RequestContext): Promise<UserDto> {
    return this.users.describe(principal.userId);
  }

  @Post('refresh_token')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Exchange the refresh token for a new pair',
    description:
      'Each refresh token works once, and for ten seconds more for clients that refresh twice at the same moment. Its use after that ends the session.',
  })
  @ApiOkResponse({ type: TokenPairDto })
  @ApiErrors(RefreshTokenInvalidError, RefreshTokenReusedError, AccountBannedError)
  refresh(@Body() { refresh_token }: RefreshTokenDto): Promise<TokenPairDto> {
    return this.refresher.refresh(refresh_token);
  }

  @Post('reset_password')
  @Public()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Set a new password with a code', description: 'Ends all sessions of the user.' })
  @ApiOkResponse({ type: AcknowledgementDto })
  @ApiErrors(InvalidCodeError)
  async resetPassword(
    @CurrentContext() context: PublicRequestContext,
    @Body() reset: ResetPasswordDto,
  ): Promise<AcknowledgementDto> {
    await this.credentials.reset(context, reset);
    return acknowledge(context.language, 'password_reset');
  }

  @Post('logout')
  @Authenticated()
  @HttpCode(HttpStatus.OK)
  @ApiOperation({ summary: 'Log out', description: 'Ends the present session with all its tokens.' })
  @ApiOkResponse({ type: AcknowledgementDto })
  async logOut(@CurrentContext() { principal, language }: RequestContext): Promise<AcknowledgementDto> {
    await this.sessions.revoke(principal.userId, principal.sessionId);
    return acknowledge(language, 'logged_out');
  }
}
