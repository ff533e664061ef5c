import { Injectable } from '@nestjs/common';
import { parse } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';
import { AppConfig } from '../../config/app.config';

/** A cookie: its name and its attributes, except its value and expiry. */
export interface Cookie {
  name: string;
  options: CookieOptions;
}

/**
 * Reads and writes the service's cookies. Their names and paths depend on whether the public address is https: browsers
 * bind a cookie whose name begins with `__Host-` to this host, and accept it only over an encrypted connection.
 */
@Injectable()
export class Cookies {
  constructor(private readonly config: AppConfig) {}

  isEncrypted({ secure }: Request): boolean {
    return secure || (this.config.PUBLIC_URL?.startsWith('https:') ?? false);
  }

  /** Undefined if the request has no cookie of this name. */
  read({ headers }: Request, name: string): string | undefined {
    return parse(headers.cookie ?? '')[name];
  }

  write(response: Response, { name, options }: Cookie, value: string, milliseconds: number): void {
    response.cookie(name, value, { ...options, maxAge: milliseconds });
  }

  /** Removes the cookie if the request has one. */
  remove(response: Response, { name, options }: Cookie): void {
    if (this.read(response.req, name) !== undefined) {
      response.clearCookie(name, options);
    }
  }
}
