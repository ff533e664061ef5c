import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { API_PREFIX } from '../../common/http/api-prefix';
import { AppConfig } from '../../config/app.config';

/** The service's own address, as browsers reach it. */
@Injectable()
export class ServiceAddress {
  constructor(private readonly config: AppConfig) {}

  /** The redirect URI for a provider. If PUBLIC_URL is not set, it uses the address of the request. */
  callbackOf(slug: string, request?: Request): string {
    return `${this.base(request)}/${API_PREFIX}/auth/oidc/${slug}/callback`;
  }

  /** @param path with a leading slash */
  page(path: string, request?: Request): string {
    return this.base(request) + path;
  }

  private base(request?: Request): string {
    const { PUBLIC_URL, HOST, PORT } = this.config;
    const asked = request && `${request.protocol}://${request.get('host') ?? `${HOST}:${PORT}`}`;
    return PUBLIC_URL?.replace(/\/+$/, '') ?? asked ?? `http://${HOST}:${PORT}`;
  }
}
