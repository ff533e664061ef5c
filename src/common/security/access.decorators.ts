import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';

export const ACCESS_METADATA = 'access';

/** Who may call a route. `authenticated` is what an undeclared route gets. */
export type Access = 'public' | 'authenticated' | 'admin';

function access(value: Access): MethodDecorator & ClassDecorator {
  return applyDecorators(SetMetadata(ACCESS_METADATA, value), ApiExtension('x-access', value));
}

/** Anybody may call, without a token. */
export const Public = (): MethodDecorator & ClassDecorator => access('public');

/** Any signed-in user may call. */
export const Authenticated = (): MethodDecorator & ClassDecorator =>
  applyDecorators(access('authenticated'), ApiBearerAuth());

/** Only administrators may call; everybody else gets 403. */
export const AdminOnly = (): MethodDecorator & ClassDecorator => applyDecorators(access('admin'), ApiBearerAuth());
