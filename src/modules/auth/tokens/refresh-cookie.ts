import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { API_PREFIX } from '../../../common/http/api-prefix';
import { type Cookie, Cookies } from '../clients/cookies';

/** The path of the cookie over http, and formerly over https too. */
const PATH = `/${API_PREFIX}/auth`;

/** The cookie with the refresh token of a browser's session. */
@Injectable()
export class RefreshCookie {
  constructor(private readonly cookies: Cookies) {}

  /** Undefined when the request has none. */
  read(request: Request): string | undefined {
    const names = this.of(request).map(({ name }) => this.cookies.read(request, name));
    return names.find((value) => value !== undefined);
  }

  /** Sets the cookie, and removes the one that it replaces. */
  write(response: Response, refreshToken: string, milliseconds: number): void {
    const [present, ...former] = this.of(response.req);
    this.cookies.write(response, present, refreshToken, milliseconds);
    former.forEach((cookie) => this.cookies.remove(response, cookie));
  }

  /** Removes what the request has of it. */
  remove(response: Response): void {
    this.of(response.req).forEach((cookie) => this.cookies.remove(response, cookie));
  }

  /** The present cookie, and what earlier versions set in its place. */
  private of(request: Request): [Cookie, ...Cookie[]] {
    const secure = this.cookies.isEncrypted(request);
    const options = { httpOnly: true, sameSite: 'strict', secure } as const;
    return secure
      ? [
          { name: '__Host-refresh_token', options: { ...options, path: '/' } },
          { name: '__Secure-refresh_token', options: { ...options, path: PATH } },
        ]
      : [{ name: 'refresh_token', options: { ...options, path: PATH } }];
  }
}
