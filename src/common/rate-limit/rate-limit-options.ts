import { ExecutionContext, Injectable } from '@nestjs/common';
import { normalizeIp, ThrottlerModuleOptions, ThrottlerOptions, ThrottlerOptionsFactory } from '@nestjs/throttler';
import type { Request } from 'express';
import { callerAddress } from '../security/caller-address';
import type { Principal, Tier } from '../security/principal';
import { Budget, WINDOW_MILLISECONDS } from './budgets';
import { type CountedActivity, CountedAs } from './counted-as.decorator';
import { RateLimitConfig } from './rate-limit.config';
import { FallbackThrottlerStorage } from './redis-throttler-storage';

/** A page refreshes its session once when it loads, and people do not load thirty pages in a minute. */
const REFRESHES_PER_MINUTE = 30;

/** A client that waits for several files reads each of them twice a second. */
const POLLS_PER_MINUTE = 600;

/**
 * One budget, in the library's terms: `skipIf` decides whether it counts a request, and `getTracker` for which caller.
 */
interface BudgetOptions extends ThrottlerOptions {
  name: Budget;
  /** Milliseconds. */
  ttl: number;
  limit(context: ExecutionContext): number;
  getTracker(request: unknown, context: ExecutionContext): string;
  skipIf(context: ExecutionContext): boolean;
}

/** Which budgets a request counts against, by which key, and how large the budgets are (specification §8). */
@Injectable()
export class RateLimitOptions implements ThrottlerOptionsFactory {
  constructor(
    private readonly config: RateLimitConfig,
    private readonly storage: FallbackThrottlerStorage,
  ) {}

  createThrottlerOptions(): ThrottlerModuleOptions {
    return {
      storage: this.storage,
      throttlers: [
        budget('session', {
          limit: () => REFRESHES_PER_MINUTE,
          getTracker: (_request, context) => String(requestOf(context).countedSession),
          skipIf: (context) => !isCountedBySession(context),
        }),
        // Before the owner's budget, so that a refused key uses none of it.
        budget('key', {
          limit: (context) => principalOf(context)?.requestsPerMinute ?? 0,
          getTracker: (_request, context) => String(principalOf(context)?.apiKeyId),
          skipIf: (context) => isRefresh(context) || (principalOf(context)?.requestsPerMinute ?? null) === null,
        }),
        budget('scim', {
          limit: () => this.config.RATE_LIMIT_SCIM,
          getTracker: (_request, context) => String(principalOf(context)?.userId),
          skipIf: (context) => !isDirectory(context),
        }),
        this.ofUser('upload', this.config.RATE_LIMIT_UPLOADS),
        this.ofUser('poll', POLLS_PER_MINUTE),
        this.ofUser('token_count', this.config.RATE_LIMIT_COUNT_TOKENS),
        this.ofUser('telemetry', this.config.RATE_LIMIT_COUNT_TOKENS),
        budget('user', {
          // This runs only if skipIf includes the request, which requires a principal.
          limit: (context) => this.limitOf(principalOf(context)?.tier ?? 'normal'),
          getTracker: (_request, context) => String(principalOf(context)?.userId),
          skipIf: (context) => isRefresh(context) || isDirectory(context) || !isCountedAs(undefined, context),
        }),
        budget('sign_in', {
          limit: () => this.config.RATE_LIMIT_SIGN_IN,
          getTracker: (_request, context) => clientAddress(requestOf(context)),
          skipIf: (context) => !isSignInPath(requestOf(context).path),
        }),
        budget('address', {
          limit: () => this.config.RATE_LIMIT_ANONYMOUS,
          getTracker: (_request, context) => clientAddress(requestOf(context)),
          skipIf: (context) =>
            isRefresh(context) ? requestOf(context).countedSession !== null : principalOf(context) !== undefined,
        }),
        budget('auth', {
          limit: () => this.config.RATE_LIMIT_AUTH,
          getTracker: (_request, context) => clientAddress(requestOf(context)),
          skipIf: (context) => isCountedBySession(context) || !isAuthPath(requestOf(context).path),
        }),
      ],
    };
  }

  private limitOf(tier: Tier): number {
    const { RATE_LIMIT_NORMAL: normal, RATE_LIMIT_PAID: paid, RATE_LIMIT_ADMIN: admin } = this.config;
    return { normal, paid, admin }[tier];
  }

  /** A budget of a user for routes with `@CountedAs`. */
  private ofUser(name: CountedActivity, limit: number): BudgetOptions {
    return budget(name, {
      limit: () => limit,
      getTracker: (_request, context) => String(principalOf(context)?.userId),
      skipIf: (context) => !isCountedAs(name, context),
    });
  }
}

function budget(name: Budget, options: Omit<BudgetOptions, 'name' | 'ttl'>): BudgetOptions {
  return { name, ttl: WINDOW_MILLISECONDS, ...options };
}

function requestOf(context: ExecutionContext): Request {
  return context.switchToHttp().getRequest<Request>();
}

/** Whether the route has `@CountedBySession`, whose requests do not count against users. */
function isRefresh(context: ExecutionContext): boolean {
  return requestOf(context).countedSession !== undefined;
}

function isCountedBySession(context: ExecutionContext): boolean {
  return typeof requestOf(context).countedSession === 'string';
}

/** Whether the caller is a directory, which provisions many accounts at once. */
function isDirectory(context: ExecutionContext): boolean {
  const { principal, path } = requestOf(context);
  return (principal?.identityProviderId ?? null) !== null && isScimPath(path);
}

/** Whether a user's request counts against this budget (`@CountedAs`); undefined: against the user's own. */
function isCountedAs(name: CountedActivity | undefined, context: ExecutionContext): boolean {
  const isOfUser = principalOf(context) !== undefined;
  return isOfUser && Reflect.getMetadata(CountedAs.KEY, context.getHandler()) === name;
}

function principalOf(context: ExecutionContext): Principal | undefined {
  return requestOf(context).principal;
}

/**
 * The address by which anonymous requests are counted: the whole address for IPv4 and IPv4-mapped IPv6, the /64 for
 * IPv6, because one home or server usually has a whole /64.
 */
function clientAddress(request: Request): string {
  return normalizeIp(callerAddress(request));
}

// Express ignores the case of paths, so this does too: /API/V1/AUTH/login is the login route.
const AUTH_PATH = /^\/api\/v\d+\/(?:auth|setup\/administrator)(?:\/|$)/i;

/**
 * Whether a path (without query) is under `/auth`, or creates the first administrator. These paths have an additional,
 * smaller budget per client address, shared by all its callers.
 */
function isAuthPath(path: string): boolean {
  return AUTH_PATH.test(path);
}

/** Whether a browser opens this path to sign in with a provider. */
function isSignInPath(path: string): boolean {
  return /^\/api\/v\d+\/auth\/oidc\/[^/]+\/start\/?$/i.test(path);
}

/** Whether directories call this path. */
function isScimPath(path: string): boolean {
  return /^\/scim\/v2(?:\/|$)/i.test(path);
}
