import { SetMetadata } from '@nestjs/common';

export const NOT_RATE_LIMITED = 'not-rate-limited';

/** Frees a route or controller from the rate limit: probes, metrics, documentation. */
export const NotRateLimited = (): MethodDecorator & ClassDecorator => SetMetadata(NOT_RATE_LIMITED, true);
