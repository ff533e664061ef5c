import { Body, Controller, Get, Header, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { ApiErrors } from '../../../common/errors/api-errors.decorator';
import { CountedBySession } from '../../../common/rate-limit/counted-by-session.decorator';
import { NotRateLimited } from '../../../common/rate-limit/not-rate-limited.decorator';
import { AnswersBrowsers } from '../../../common/redirects/answers-browsers.decorator';
import { returnFailuresTo, withParameter } from '../../../common/redirects/browser-page.filter';
import { CONSOLE_PAGE } from '../../../common/redirects/return-addresses';
import { Public } from '../../../common/security/access.decorator';
import { NoKeys } from '../../../common/security/key-scope.decorator';
import { CurrentContext, PublicRequestContext } from '../../../common/security/request-context';
import {
  AccountBannedError,
  IdentitySuspendedError,
  SessionRevokedError,
} from '../../../common/security/security.errors';
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
import { StartPageFilter } from './start-page.filter';

const SLUG = { name: 'slug', description: 'The provider, as GET /auth/providers names it.', example: 'company' };

@ApiTags('Authentication')
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
    summary: 'The ways to sign in',
    description: 'The providers that a page shows buttons for, and who may use a password.',
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
    summary: 'Sign in with a provider',
    description:
      'For browsers, which go there: it redirects to the provider. They come back to `return_to` with `login_code` for POST /auth/oidc/exchange, or with `error`, a code. If the sign-in cannot begin, the browser goes back at once, for example with `RATE_LIMIT_EXCEEDED`, `IDENTITY_PROVIDER_NOT_FOUND` or `IDENTITY_PROVIDER_ERROR`; if `return_to` is not allowed, to /console.',
  })
  @ApiParam({ ...SLUG, schema: { type: 'string', maxLength: 32 } })
  @ApiResponse({ status: HttpStatus.FOUND, description: 'To the provider, or to `return_to` with `error`.' })
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
    summary: 'Come back from a provider',
    description:
      'For browsers, which the provider sends there. Leads to the page that began; to /console when the sign-in is not known, and without a console to a plain page.',
  })
  @ApiParam(SLUG)
  @ApiQuery({ name: 'state', required: false, type: String, description: 'Which sign-in it answers.' })
  @ApiQuery({ name: 'code', required: false, type: String, description: 'What the provider exchanges for tokens.' })
  @ApiQuery({ name: 'iss', required: false, type: String, description: 'The provider, as its tokens name it.' })
  @ApiQuery({ name: 'error', required: false, type: String, description: 'Why there is no code.' })
  @ApiResponse({ status: HttpStatus.FOUND, description: 'To the page, with `login_code`, `connected` or `error`.' })
  async callback(@Param('slug') slug: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const answer = new URL(request.originalUrl, 'http://service').searchParams;
    const row = await this.callbacks.spend(slug, answer);
    returnFailuresTo(request, row.returnTo);
    const [name, value] = await this.callbacks.finish(response, row, answer);
    response.redirect(HttpStatus.FOUND, withParameter(row.returnTo, name, value));
  }

  @Post('oidc/exchange')
  @CountedBySession(SignInCounter)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'auth.exchangeLoginCode',
    summary: 'Exchange a login code for tokens',
    description:
      'Within 60 seconds, once. 409 with `link_token`: the address must be proved by a code first. A signed-in person who began by POST /user/identities/start gets `identity`.',
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
    summary: 'Prove the address of an identity, and log in',
    description:
      'After 409 IDENTITY_LINK_REQUIRED, with the code of purpose `link_identity`. Links the account that has the address, or makes one where the provider’s rules allow.',
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
