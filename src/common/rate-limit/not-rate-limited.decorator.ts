import { SkipThrottle } from '@nestjs/throttler';
import { BUDGETS } from './budgets';

/** Frees a route or controller from the rate limit: probes, metrics, documentation. */
export const NotRateLimited = (): MethodDecorator & ClassDecorator =>
  SkipThrottle(Object.fromEntries(BUDGETS.map((budget) => [budget, true])));
