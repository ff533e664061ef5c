import { Body, Controller, Header, HttpCode, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { TakesForms } from '../../../common/http/body/body-rules.decorator';
import { FORM } from '../../../common/http/body/request-body';
import { Public } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, PublicRequestContext } from '../../../common/security/request-context';
import { AccountBannedError, IdentitySuspendedError } from '../../../common/security/security.errors';
import { AccountLockedError, InvalidCredentialsError } from '../attempts/attempt.errors';
import { PasswordLoginDisabledError } from '../attempts/login.errors';
import { BrowserSessions } from '../tokens/browser-sessions';
import { CookieSessionDto, TokenPairDto } from '../tokens/token.dto';
import { PasswordGrantDto } from './login.dto';
import { LoginService } from './login.service';

@ApiTags('Sign-in')
@NoKeys()
@Controller('auth')
export class TokenController {
  constructor(
    private readonly logins: LoginService,
    private readonly browserSessions: BrowserSessions,
  ) {}

  @Post('token')
  @TakesForms(true)
  @Public()
  @HttpCode(HttpStatus.OK)
  // RFC 6749 §5.1 requires both headers.
  @Header('Cache-Control', 'no-store')
  @Header('Pragma', 'no-cache')
  @ApiOperation({
    operationId: 'auth.issueToken',
    summary: 'Issue an OAuth 2 token',
    description:
      'Password grant of RFC 6749, for tools such as the Authorize button of this page; otherwise the same as ' +
      '`POST /auth/login`. `username` is the email address, and the body may be a form. `client_id`, ' +
      '`client_secret` and `scope` are ignored.',
  })
  @ApiConsumes(FORM, 'application/json')
  @ApiOkResponse({ type: TokenPairDto })
  @ApiErrors(
    InvalidCredentialsError,
    AccountLockedError,
    AccountBannedError,
    IdentitySuspendedError,
    PasswordLoginDisabledError,
  )
  issue(
    @CurrentContext() context: PublicRequestContext,
    @Body() { username, password }: PasswordGrantDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenPairDto | CookieSessionDto> {
    return this.browserSessions.signIn(response, context, {}, (client) =>
      this.logins.logIn(client, { email: username, password }),
    );
  }
}
