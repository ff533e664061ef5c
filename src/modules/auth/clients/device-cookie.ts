import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { FORM } from '../../../common/http/body/request-body';
import { type Cookie, Cookies } from '../../../common/http/cookies';
import type { PublicRequestContext } from '../../../common/security/request-context';
import type { ClientContext, Device } from './client-context';
import { KNOWN_MILLISECONDS } from './known-clients';

/** 256 bits in base64url. Other values were not set by this service. */
const VALUE = /^[\w-]{43}$/;

/**
 * The cookie that identifies a browser. It grants no access: a browser that has signed in to an account gets its own
 * attempt counters there, so that an attacker's guesses do not lock it out. Clients without cookies are identified by
 * their IP address.
 */
@Injectable()
export class DeviceCookie {
  constructor(private readonly cookies: Cookies) {}

  /** The context of a request, with its device. */
  describe<Context extends PublicRequestContext>(context: Context, request: Request): Context & ClientContext {
    return { ...context, device: isForeignForm(request) ? null : this.deviceOf(request) };
  }

  /** Called after a sign-in. The browser keeps the value for another thirty days. */
  keep(response: Response, { device }: ClientContext): void {
    if (device) {
      this.cookies.write(response, this.cookieOf(response.req), device.value, KNOWN_MILLISECONDS);
    }
  }

  private deviceOf(request: Request): Device {
    const value = this.cookies.read(request, this.cookieOf(request).name) ?? '';
    return VALUE.test(value) ? { value, isNew: false } : { value: randomBytes(32).toString('base64url'), isNew: true };
  }

  private cookieOf(request: Request): Cookie {
    const secure = this.cookies.isEncrypted(request);
    return {
      name: secure ? '__Host-device' : 'device',
      options: { path: '/', httpOnly: true, sameSite: 'lax', secure },
    };
  }
}

/**
 * Whether another site's page made the browser send a form. Such a request lacks the cookie, and setting a new one
 * would replace the browser's value, so the owner's account would no longer know the browser.
 */
function isForeignForm({ headers }: Request): boolean {
  if (!headers['content-type']?.toLowerCase().startsWith(FORM)) {
    return false;
  }
  const site = headers['sec-fetch-site'];
  // Browsers send the first header only over encrypted connections, and the second with every form from another page.
  return site === undefined
    ? headers.origin !== undefined && !isHost(headers.origin, headers.host)
    : site !== 'same-origin' && site !== 'none';
}

function isHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
