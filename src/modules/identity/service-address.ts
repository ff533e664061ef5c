import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { API_PREFIX } from '../../common/http/api-prefix';
import { AppConfig } from '../../config/app.config';

/** How browsers reach the service. */
@Injectable()
export class ServiceAddress {
  constructor(private readonly config: AppConfig) {}

  /** Where a provider sends browsers back to. Without PUBLIC_URL it is where the request came. */
  callbackOf(slug: string, request?: Request): string {
    return `${this.base(request)}/${API_PREFIX}/auth/oidc/${slug}/callback`;
  }

  /** @param path with a slash */
  page(path: string, request?: Request): string {
    return this.base(request) + path;
  }

  private base(request?: Request): string {
    const { PUBLIC_URL, HOST, PORT } = this.config;
    const asked = request && `${request.protocol}://${request.get('host') ?? `${HOST}:${PORT}`}`;
    return PUBLIC_URL?.replace(/\/+$/, '') ?? asked ?? `http://${HOST}:${PORT}`;
  }
}
