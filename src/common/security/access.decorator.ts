import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiOAuth2 } from '@nestjs/swagger';
import { AuditInterceptor } from '../audit/audit.interceptor';

export const ACCESS_METADATA = 'access';

export const SCOPE_METADATA = 'scope';

/** The callers that a route accepts. A route without a decorator is `authenticated`. */
export type Access = 'public' | 'authenticated' | 'admin';

function access(value: Access): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(ACCESS_METADATA, value), ApiExtension('x-access', value));
}

/** For Swagger: the two ways to enter the token. */
const lock = (): MethodDecorator & ClassDecorator => applyDecorators(ApiBearerAuth(), ApiOAuth2([], 'password'));

/** Open to all callers, without a token. */
export const Public = (): MethodDecorator & ClassDecorator => access('public');

/** Open to any signed-in user. */
export const Authenticated = (): MethodDecorator & ClassDecorator => applyDecorators(access('authenticated'), lock());

/** Only administrators may call; all other users get 403. The audit log records what they change. */
export const AdminOnly = (): MethodDecorator & ClassDecorator =>
  applyDecorators(access('admin'), lock(), UseInterceptors(AuditInterceptor));
