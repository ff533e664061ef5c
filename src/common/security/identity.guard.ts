import { ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { Observable } from 'rxjs';
import { ApiError } from '../errors/api-error';
import { PAGE_METADATA } from '../features/feature.decorator';
import { ApiPaths } from '../http/api-paths';
import { API_KEY_PREFIX, ApiKeyIdentity } from './api-key-identity';
import { adoptKeyHeader } from './key-header';
import { Principal } from './principal';
import { ProviderTokenIdentity } from './provider-token-identity';
import { TokenExpiredError, TokenInvalidError } from './security.errors';
import { TICKET_METADATA, TicketIdentity, type TicketPlaceOf } from './ticket-identity';
import { PAGE_TOKEN_PREFIX, PageTokenIdentity, TokenIdentity } from './token-identity';

/** The credentials of RFC 6750 §2.1. The scheme name is case-insensitive. */
const BEARER = /^Bearer +(\S+)$/i;

/**
 * First guard of the pipeline: identifies the caller, and never refuses. The rate limit comes next and must count bad
 * tokens and keys too. After that, the access guard refuses with the failure that this guard has stored in the request.
 */
@Injectable()
export class IdentityGuard extends AuthGuard('jwt') {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenIdentity,
    private readonly tickets: TicketIdentity,
    private readonly keys: ApiKeyIdentity,
    private readonly pages: PageTokenIdentity,
    private readonly providerTokens: ProviderTokenIdentity,
    private readonly paths: ApiPaths,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> | Observable<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    adoptKeyHeader(request.headers, this.paths.headersOf(request.originalUrl).keyHeader);
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const principal =
        this.tokens.principalOf(authorization) ??
        this.ownerOfKey(authorization) ??
        this.userOfPage(authorization, context) ??
        this.ownerOfForeignToken(authorization, request);
      return principal ? identify(request, principal) : super.canActivate(context);
    }
    const placeOf = this.reflector.get<TicketPlaceOf | undefined>(TICKET_METADATA, context.getHandler());
    const { ticket } = request.query;
    if (placeOf === undefined || typeof ticket !== 'string') {
      return true;
    }
    return identify(request, this.tickets.principalOf(ticket, placeOf(request), request));
  }

  /** Undefined if the header has no API key. */
  private ownerOfKey(authorization: string): Promise<Principal> | undefined {
    const [, text] = BEARER.exec(authorization) ?? [];
    return text?.startsWith(API_KEY_PREFIX) ? this.keys.principalOf(text) : undefined;
  }

  /** Undefined if the header has no token of a page. */
  private userOfPage(authorization: string, context: ExecutionContext): Promise<Principal> | undefined {
    const [, text] = BEARER.exec(authorization) ?? [];
    return text?.startsWith(PAGE_TOKEN_PREFIX)
      ? this.pages.principalOf(text, this.reflector.get(PAGE_METADATA, context.getClass()))
      : undefined;
  }

  /** Undefined if the header has no token that an identity provider may have issued for this route. */
  private ownerOfForeignToken(authorization: string, request: Request): Promise<Principal> | undefined {
    const [, text] = BEARER.exec(authorization) ?? [];
    return text === undefined ? undefined : this.providerTokens.principalOf(text, request);
  }

  override handleRequest<User = Principal>(
    error: unknown,
    principal: User | false,
    info: unknown,
    context: ExecutionContext,
  ): User {
    const request = context.switchToHttp().getRequest<Request>();
    if (principal && !error) {
      request.principal = principal as unknown as Principal;
    } else {
      request.identityFailure = toIdentityFailure(error ?? info);
    }
    return (principal || undefined) as User;
  }
}

async function identify(request: Request, principal: Promise<Principal>): Promise<true> {
  try {
    request.principal = await principal;
    // Where guards of modules look. Passport sets it only for tokens that it reads itself.
    request.user = request.principal;
  } catch (error) {
    request.identityFailure = error as Error;
  }
  return true;
}

function toIdentityFailure(reason: unknown): Error {
  if (reason instanceof ApiError) {
    return reason;
  }
  if (reason instanceof Error && reason.name === 'TokenExpiredError') {
    return new TokenExpiredError();
  }
  // A fault of the service, such as an unreachable database, is thrown unchanged. Any error of the token library means
  // a bad token.
  const isTokenFault =
    !(reason instanceof Error) || /^(JsonWebTokenError|NotBeforeError|Error|SyntaxError)$/.test(reason.name);
  return isTokenFault ? new TokenInvalidError() : reason;
}
