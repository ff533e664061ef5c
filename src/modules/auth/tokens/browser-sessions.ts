import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { API_PREFIX } from '../../../common/http/api-prefix';
import { type Cookie, Cookies } from '../../../common/http/cookies';
import type { SessionFinder } from '../../../common/rate-limit/counted-by-session.decorator';
import type { PublicRequestContext } from '../../../common/security/request-context';
import type { ClientContext } from '../clients/client-context';
import { DeviceCookie } from '../clients/device-cookie';
import { RefreshTokens } from './refresh-tokens';
import { CookieSessionDto, RefreshTokenDto, SessionBodyDto, TokenPairDto } from './token.dto';
import { RefreshTokenInvalidError, RefreshTokenReusedError, SameOriginRequiredError } from './token.errors';
import { TokenRefresher } from './token-refresher';

/** The cookie's path over http. */
const PATH = `/${API_PREFIX}/auth`;

/**
 * Sessions of browsers on the service's own pages. The refresh token is in a cookie that scripts cannot read, so an
 * injected script cannot steal it. Only these methods read the cookie, although browsers send it with every request.
 * All other routes need the access token in a header, which no other site's page can send.
 */
@Injectable()
export class BrowserSessions implements SessionFinder {
  constructor(
    private readonly cookies: Cookies,
    private readonly devices: DeviceCookie,
    private readonly refreshTokens: RefreshTokens,
    private readonly refresher: TokenRefresher,
  ) {}

  /**
   * Signs a user in and responds with the token pair. If the caller requests a cookie, the refresh token is in the
   * cookie instead of the body. In both cases, a browser also gets the cookie by which the account knows it from now
   * on.
   *
   * @throws SameOriginRequiredError before the login
   */
  signIn(
    response: Response,
    context: PublicRequestContext,
    body: SessionBodyDto,
    logIn: (context: ClientContext) => Promise<TokenPairDto>,
  ): Promise<TokenPairDto | CookieSessionDto> {
    return this.signInOr<never>(response, context, body, logIn);
  }

  /**
   * Like `signIn`, for requests that may not sign anyone in. Their other responses are returned unchanged.
   *
   * @throws SameOriginRequiredError before the login
   */
  async signInOr<Other extends object>(
    response: Response,
    context: PublicRequestContext,
    body: SessionBodyDto,
    logIn: (context: ClientContext) => Promise<TokenPairDto | Other>,
  ): Promise<TokenPairDto | CookieSessionDto | Other> {
    const client = this.devices.describe(context, response.req);
    const answer = await this.deliver(response, body, () => logIn(client));
    if ('access_token' in answer) {
      this.devices.keep(response, client);
    }
    return answer;
  }

  /**
   * Exchanges the token in the body, or the one in the cookie if the caller requests a cookie. A cookie whose token can
   * never work again is removed.
   *
   * @throws SameOriginRequiredError, and the errors of `TokenRefresher`
   */
  refresh(response: Response, body: RefreshTokenDto): Promise<TokenPairDto | CookieSessionDto> {
    return this.deliver(response, body, async () => {
      try {
        return await this.refresher.refresh(this.presentedToken(response.req, body) ?? '');
      } catch (error) {
        const isOver = error instanceof RefreshTokenInvalidError || error instanceof RefreshTokenReusedError;
        if (body.session !== undefined && isOver) {
          this.removeCookie(response);
        }
        throw error;
      }
    });
  }

  /**
   * The session whose token a request wants to exchange, whether or not it has ended. It runs no query and rejects
   * nothing.
   */
  sessionOf(request: Request): string | null {
    const body = (request.body ?? {}) as { session?: unknown; refresh_token?: unknown };
    const isForeign = body.session !== undefined && !isSameOrigin(request);
    const token = isForeign ? undefined : this.presentedToken(request, body);
    return typeof token === 'string' ? (this.refreshTokens.read(token)?.family ?? null) : null;
  }

  /** Removes the cookie, if the request has one. */
  removeCookie(response: Response): void {
    this.cookies.remove(response, this.cookieFor(response.req));
  }

  private presentedToken<Token>(
    request: Request,
    { session, refresh_token }: { session?: unknown; refresh_token?: Token },
  ): Token | string | undefined {
    if (session === undefined) {
      return refresh_token;
    }
    return this.cookies.read(request, this.cookieFor(request).name);
  }

  private cookieFor(request: Request): Cookie {
    const secure = this.cookies.isEncrypted(request);
    const options = { httpOnly: true, sameSite: 'strict', secure } as const;
    return secure
      ? { name: '__Host-refresh_token', options: { ...options, path: '/' } }
      : { name: 'refresh_token', options: { ...options, path: PATH } };
  }

  private async deliver<Other extends object = never>(
    response: Response,
    { session }: SessionBodyDto,
    makePair: () => Promise<TokenPairDto | Other>,
  ): Promise<TokenPairDto | CookieSessionDto | Other> {
    if (session === undefined) {
      return makePair();
    }
    // Also required for a login, so that another site's page cannot log a user in to a different account.
    if (!isSameOrigin(response.req)) {
      throw new SameOriginRequiredError();
    }
    const answer = await makePair();
    if (!isPair(answer)) {
      return answer;
    }
    const { refresh_token, ...rest } = answer;
    this.cookies.write(response, this.cookieFor(response.req), refresh_token, rest.refresh_expires_in * 1_000);
    return rest;
  }
}

/** Browsers send the origin of a request, and no script can change that (Fetch Metadata). */
function isSameOrigin({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === 'same-origin';
}

function isPair(answer: TokenPairDto | object): answer is TokenPairDto {
  return 'refresh_token' in answer;
}
