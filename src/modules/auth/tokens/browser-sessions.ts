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

/** The path of the cookie over http. */
const PATH = `/${API_PREFIX}/auth`;

/**
 * Sessions of browsers, for the service's own pages: the refresh token is in a cookie that no script can read, so a script
 * that got into a page cannot take it away. Nothing but these methods reads the cookie, although browsers send it with
 * every request. All other routes need the access token in a header, which no foreign page can send.
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
   * Signs somebody in, and answers with the pair. If the caller wants a cookie, the refresh token is there, and not in the
   * body. Whatever the caller wants, a browser gets the cookie by which the account knows it from now on.
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
   * The same where a request may turn out to sign nobody in: then its answer stays as it is.
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
   * Exchanges the token in the body, or if the caller wants a cookie that in the cookie. A cookie whose token will never
   * work again is removed.
   *
   * @throws SameOriginRequiredError, and what `TokenRefresher` throws
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

  /** The session whose token a request wants to exchange, whether or not it has ended. Asks nobody, and refuses nothing. */
  sessionOf(request: Request): string | null {
    const body = (request.body ?? {}) as { session?: unknown; refresh_token?: unknown };
    const isForeign = body.session !== undefined && !isSameOrigin(request);
    const token = isForeign ? undefined : this.presentedToken(request, body);
    return typeof token === 'string' ? (this.refreshTokens.read(token)?.family ?? null) : null;
  }

  /** Removes the cookie if the request has one. */
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
    // Also for a login: another page must not be able to log somebody in as somebody else.
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

/** Browsers say where a request comes from, and no script can change that (Fetch Metadata). */
function isSameOrigin({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === 'same-origin';
}

function isPair(answer: TokenPairDto | object): answer is TokenPairDto {
  return 'refresh_token' in answer;
}
