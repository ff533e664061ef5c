import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

export const NOT_RATE_LIMITED = 'not-rate-limited';

/** Frees a route or controller from the rate limit: probes, metrics, and what every page asks before a sign-in. */
export const NotRateLimited = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(NOT_RATE_LIMITED, true), ApiExtension('x-rate-limited', false));
