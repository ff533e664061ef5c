import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { BUDGETS } from './budgets';

/**
 * Exempts a route or controller from the rate limit: probes, metrics, and what every page requests before a sign-in.
 */
export const NotRateLimited = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SkipThrottle(Object.fromEntries(BUDGETS.map((budget) => [budget, true]))),
    ApiExtension('x-rate-limited', false),
  );
