import { Injectable } from '@nestjs/common';
import { parse } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';
import { AppConfig } from '../../config/app.config';

/** A cookie: its name and all that a browser must know of it besides its value and end. */
export interface Cookie {
  name: string;
  options: CookieOptions;
}

/**
 * Reads and writes cookies of the service. Their names and paths depend on whether people reach it by https: browsers keep a
 * cookie whose name begins with `__Host-` for this one host, and only if it came encrypted.
 */
@Injectable()
export class Cookies {
  constructor(private readonly config: AppConfig) {}

  isEncrypted({ secure }: Request): boolean {
    return secure || (this.config.PUBLIC_URL?.startsWith('https:') ?? false);
  }

  /** Undefined when the request has none of this name. */
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
