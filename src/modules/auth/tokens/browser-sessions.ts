import { Injectable } from '@nestjs/common';
import { parse } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';
import { API_PREFIX } from '../../../common/http/api-prefix';
import { AppConfig } from '../../../config/app.config';
import { CookieSessionDto, SessionBodyDto, TokenPairDto } from './token.dto';
import { RefreshTokenInvalidError, RefreshTokenReusedError, SameOriginRequiredError } from './token.errors';
import { TokenRefresher } from './token-refresher';

/**
 * Sessions of browsers, for the service's own pages: the refresh token is in a cookie that no script can read, so a script
 * that got into a page cannot take it away. Nothing but these methods reads the cookie. All other routes need the access
 * token in a header, which no foreign page can send.
 */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly config: AppConfig,
    private readonly refresher: TokenRefresher,
  ) {}

  /**
   * Answers with the pair of a login. If the caller wants a cookie, the refresh token is there, and not in the body.
   *
   * @throws SameOriginRequiredError before the login
   */
  async deliver(
    response: Response,
    { session }: SessionBodyDto,
    logIn: () => Promise<TokenPairDto>,
  ): Promise<TokenPairDto | CookieSessionDto> {
    if (session === undefined) {
      return logIn();
    }
    // Also for a login: another page must not be able to log somebody in as somebody else.
    assertSameOrigin(response.req);
    const { refresh_token, ...rest } = await logIn();
    const { name, options } = this.cookieOf(response.req);
    response.cookie(name, refresh_token, { ...options, maxAge: rest.refresh_expires_in * 1_000 });
    return rest;
  }

  /**
   * Exchanges the token in the cookie. A token that will never work again is removed.
   *
   * @throws SameOriginRequiredError, and what `TokenRefresher` throws
   */
  refresh(response: Response, body: SessionBodyDto): Promise<TokenPairDto | CookieSessionDto> {
    return this.deliver(response, body, async () => {
      try {
        return await this.refresher.refresh(this.tokenIn(response.req) ?? '');
      } catch (error) {
        if (error instanceof RefreshTokenInvalidError || error instanceof RefreshTokenReusedError) {
          this.removeCookie(response);
        }
        throw error;
      }
    });
  }

  /** Removes the cookie if the request has one. */
  removeCookie(response: Response): void {
    if (this.tokenIn(response.req) !== undefined) {
      const { name, options } = this.cookieOf(response.req);
      response.clearCookie(name, options);
    }
  }

  private tokenIn(request: Request): string | undefined {
    return parse(request.headers.cookie ?? '')[this.cookieOf(request).name];
  }

  /** Browsers let only encrypted pages set a cookie whose name begins with `__Secure-`. */
  private cookieOf({ secure }: Request): { name: string; options: CookieOptions } {
    const isSecure = secure || (this.config.PUBLIC_URL?.startsWith('https:') ?? false);
    return {
      name: isSecure ? '__Secure-refresh_token' : 'refresh_token',
      options: { path: `/${API_PREFIX}/auth`, httpOnly: true, sameSite: 'strict', secure: isSecure },
    };
  }
}

/** Browsers say where a request comes from, and no script can change that (Fetch Metadata). */
function assertSameOrigin({ headers }: Request): void {
  if (headers['sec-fetch-site'] !== 'same-origin') {
    throw new SameOriginRequiredError();
  }
}
