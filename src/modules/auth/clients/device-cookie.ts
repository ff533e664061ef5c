import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { FORM } from '../../../common/http/body/request-body';
import { type Cookie, Cookies } from '../../../common/http/cookies';
import type { PublicRequestContext } from '../../../common/security/request-context';
import type { ClientContext, Device } from './client-context';
import { KNOWN_MILLISECONDS } from './known-clients';

/** 256 bits in base64url. Whatever else has the name is not ours. */
const VALUE = /^[\w-]{43}$/;

/**
 * The cookie that tells one browser from others. It opens nothing: a browser that signed in to an account has counters of
 * its own there, so that strangers who guess do not lock it out. Clients without cookies are known by their addresses.
 */
@Injectable()
export class DeviceCookie {
  constructor(private readonly cookies: Cookies) {}

  /** The context of a request, with the device that has sent it. */
  describe<Context extends PublicRequestContext>(context: Context, request: Request): Context & ClientContext {
    return { ...context, device: isForeignForm(request) ? null : this.deviceOf(request) };
  }

  /** After a sign-in: the browser keeps the value for another thirty days. */
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
 * Whether a page of somebody else has made the browser send a form. Such a request comes without our cookie, and a new one
 * would take the place of the one that the browser has: it would not be known to its owner's account any more.
 */
function isForeignForm({ headers }: Request): boolean {
  if (!headers['content-type']?.toLowerCase().startsWith(FORM)) {
    return false;
  }
  const site = headers['sec-fetch-site'];
  // Browsers say the first of an encrypted connection only, and the second of every form that another page sends.
  return site === undefined
    ? headers.origin !== undefined && !isHost(headers.origin, headers.host)
    : site !== 'same-origin' && site !== 'none';
}

function isHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
