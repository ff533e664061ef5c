import {
  Body,
  Catch,
  Controller,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Injectable,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { CountedBySession } from '../../../common/rate-limit/counted-by-session.decorator';
import { NotRateLimited } from '../../../common/rate-limit/not-rate-limited.decorator';
import { AnswersBrowsers } from '../../../common/redirects/answers-browsers.decorator';
import { BrowserPageFilter, redirectFailures, withParameter } from '../../../common/redirects/browser-page.filter';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { Public } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, PublicRequestContext } from '../../../common/security/request-context';
import {
  AccountBannedError,
  IdentitySuspendedError,
  SessionRevokedError,
} from '../../../common/security/security.errors';
import { AppConfig } from '../../../config/app.config';
import {
  ApiTokens,
  BrowserSessions,
  type CookieSessionDto,
  InvalidCodeError,
  LoginCodeInvalidError,
  SameOriginRequiredError,
  type TokenPairDto,
} from '../../auth/auth.api';
import { LinkedIdentityDto, toIdentityDto } from '../identities/identity.dto';
import {
  GroupsUnavailableError,
  IdentityLinkRequiredError,
  IdentityNotAllowedError,
  IdentityTakenError,
} from '../identity.errors';
import { IdentityProviderStore } from '../providers/identity-provider.store';
import { ReturnPages } from './return-pages';
import { ApiExchanged, ExchangeDto, LinkDto, SignInProvidersDto, StartQueryDto } from './sign-in.dto';
import { SignInCallback } from './sign-in-callback';
import { SignInCounter } from './sign-in-counter';
import { SignInExchange } from './sign-in-exchange';
import { SignInLink } from './sign-in-link';
import { SignInStart } from './sign-in-start';
import { SignInWays } from './sign-in-ways';

/** Redirects a failed start of a sign-in to the page that requested it. */
@Catch()
@Injectable()
class StartPageFilter extends BrowserPageFilter {
  constructor(
    config: AppConfig,
    private readonly returnPages: ReturnPages,
  ) {
    super(config);
  }

  protected override pageOf(request: Request): string | null {
    return this.returnPages.ofFailure(request.query.return_to);
  }
}

const SLUG = { name: 'slug', description: 'Slug of the provider, from `GET /auth/providers`.', example: 'company' };

@ApiTags('Sign-in')
@Public()
@NoKeys()
@Controller('auth')
export class OidcController {
  constructor(
    private readonly ways: SignInWays,
    private readonly providers: IdentityProviderStore,
    private readonly returnPages: ReturnPages,
    private readonly starts: SignInStart,
    private readonly callbacks: SignInCallback,
    private readonly exchanges: SignInExchange,
    private readonly links: SignInLink,
    private readonly browserSessions: BrowserSessions,
  ) {}

  @Get('providers')
  @NotRateLimited()
  @ApiOperation({
    operationId: 'auth.listProviders',
    summary: 'List sign-in methods',
    description: 'Returns the providers to show as buttons, and who may use a password.',
  })
  @ApiOkResponse({ type: SignInProvidersDto })
  list(): Promise<SignInProvidersDto> {
    return this.ways.describe();
  }

  @Get('oidc/:slug/start')
  @HttpCode(HttpStatus.FOUND)
  @AnswersBrowsers(StartPageFilter)
  @SkipThrottle({ key: true, user: true, address: true, auth: true })
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'auth.startSignIn',
    summary: 'Start a sign-in with a provider',
    description:
      'Open this address in the browser, which it redirects to the provider. The browser returns to ' +
      '`return_to` with a `login_code` for `POST /auth/oidc/exchange`, or with an `error` code such as ' +
      '`IDENTITY_PROVIDER_ERROR`, also if the sign-in cannot start. If `return_to` is not allowed, the ' +
      'browser goes to `/console`.',
  })
  @ApiParam({ ...SLUG, schema: { type: 'string', maxLength: 32 } })
  @ApiResponse({ status: HttpStatus.FOUND, description: 'Redirects to the provider, or to `return_to` with `error`.' })
  async start(
    @CurrentContext() context: PublicRequestContext,
    @Param('slug') slug: string,
    @Query() { code_challenge: codeChallenge, return_to: returnTo = CONSOLE_PAGE }: StartQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    this.returnPages.assertParameter(returnTo);
    const url = await this.starts.begin(response, context, { slug, returnTo, codeChallenge, userId: null });
    response.redirect(HttpStatus.FOUND, url);
  }

  @Get('oidc/:slug/callback')
  @HttpCode(HttpStatus.FOUND)
  @CountedBySession(SignInCounter)
  @AnswersBrowsers()
  @Header('Cache-Control', 'no-store')
  @Header('Referrer-Policy', 'no-referrer')
  @ApiOperation({
    operationId: 'auth.finishSignIn',
    summary: 'Finish a sign-in with a provider',
    description:
      'The provider redirects the browser here. The browser goes to the page that started the sign-in, or to ' +
      '`/console` if the sign-in is unknown. Without a console, it goes to a plain page.',
  })
  @ApiParam(SLUG)
  @ApiQuery({ name: 'state', required: false, type: String, description: 'Identifies the sign-in.' })
  @ApiQuery({ name: 'code', required: false, type: String, description: 'Authorization code.' })
  @ApiQuery({ name: 'iss', required: false, type: String, description: 'Issuer identifier of the provider.' })
  @ApiQuery({
    name: 'error',
    required: false,
    type: String,
    description: 'Error code, if there is no authorization code.',
  })
  @ApiResponse({
    status: HttpStatus.FOUND,
    description: 'Redirects to the page, with `login_code`, `connected` or `error`.',
  })
  async callback(@Param('slug') slug: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const answer = new URL(request.originalUrl, 'http://service').searchParams;
    const row = await this.callbacks.spend(slug, answer);
    redirectFailures(request, row.returnTo);
    const [name, value] = await this.callbacks.finish(response, row, answer);
    response.redirect(HttpStatus.FOUND, withParameter(row.returnTo, name, value));
  }

  @Post('oidc/exchange')
  @CountedBySession(SignInCounter)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'auth.exchangeLoginCode',
    summary: 'Exchange a login code',
    description:
      'Returns tokens, once and within 60 seconds. If it returns 409 with a `link_token`, the address must be ' +
      'verified with a code first. A signed-in user who called `POST /user/identities/start` receives ' +
      '`identity` instead.',
  })
  @ApiExchanged()
  @ApiErrors(
    LoginCodeInvalidError,
    SessionRevokedError,
    IdentityLinkRequiredError,
    IdentityTakenError,
    IdentityNotAllowedError,
    GroupsUnavailableError,
    AccountBannedError,
    IdentitySuspendedError,
    SameOriginRequiredError,
  )
  async exchange(
    @CurrentContext() context: PublicRequestContext,
    @Body() body: ExchangeDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenPairDto | CookieSessionDto | LinkedIdentityDto> {
    return this.browserSessions.signInOr(response, context, body, async (client) => {
      const exchanged = await this.exchanges.exchange(client, body.login_code, body.code_verifier);
      if ('pair' in exchanged) {
        return exchanged.pair;
      }
      const { identity } = exchanged;
      const { slug } = await this.providers.get(identity.providerId);
      return { identity: toIdentityDto(identity, slug) };
    });
  }

  @Post('oidc/link')
  @CountedBySession(SignInCounter)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'auth.linkIdentity',
    summary: 'Verify the address of an identity',
    description:
      'Finishes a sign-in after 409 `IDENTITY_LINK_REQUIRED`, with a code for the purpose `link_identity`. ' +
      'Links the account that has the address, or creates one if the rules of the provider allow it.',
  })
  @ApiTokens()
  @ApiErrors(
    InvalidCodeError,
    LoginCodeInvalidError,
    IdentityNotAllowedError,
    GroupsUnavailableError,
    AccountBannedError,
    IdentitySuspendedError,
    SameOriginRequiredError,
  )
  link(
    @CurrentContext() context: PublicRequestContext,
    @Body() body: LinkDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenPairDto | CookieSessionDto> {
    return this.browserSessions.signIn(response, context, body, async (client) => {
      const { link_token: token, verification_code: code, code_verifier: verifier } = body;
      const exchanged = await this.links.link(client, token, code, verifier);
      if ('pair' in exchanged) {
        return exchanged.pair;
      }
      throw new LoginCodeInvalidError();
    });
  }
}
