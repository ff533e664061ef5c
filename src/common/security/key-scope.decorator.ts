import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { SCOPE_METADATA } from './access.decorator';
import type { Scope } from './scopes';

/** The scope that an API key needs for a route; null: no key may call it. */
export type RequiredScope = Scope | null;

function requires(scope: RequiredScope): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(SCOPE_METADATA, scope), ApiExtension('x-scope', scope));
}

/** API keys with this scope may call; other keys get 403. Access tokens need no scope. */
export const KeyScope = (scope: Scope): MethodDecorator & ClassDecorator => requires(scope);

/** No API key may call, whatever its scopes. Keys cannot call a non-public route without a decorator either. */
export const NoKeys = (): MethodDecorator & ClassDecorator => requires(null);
