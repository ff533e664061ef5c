import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiOAuth2 } from '@nestjs/swagger';
import { AuditInterceptor } from '../audit/audit.interceptor';

export const ACCESS_METADATA = 'access';

/** Who may call a route. A route without a decorator is `authenticated`. */
export type Access = 'public' | 'authenticated' | 'admin';

function access(value: Access): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(ACCESS_METADATA, value), ApiExtension('x-access', value));
}

/** For Swagger: the two ways to enter the token. */
const lock = (): MethodDecorator & ClassDecorator => applyDecorators(ApiBearerAuth(), ApiOAuth2([], 'password'));

/** Anybody may call, without a token. */
export const Public = (): MethodDecorator & ClassDecorator => access('public');

/** Any signed-in user may call. */
export const Authenticated = (): MethodDecorator & ClassDecorator => applyDecorators(access('authenticated'), lock());

/** Only administrators may call; everybody else gets 403. The audit log keeps what they change. */
export const AdminOnly = (): MethodDecorator & ClassDecorator =>
  applyDecorators(access('admin'), lock(), UseInterceptors(AuditInterceptor));
