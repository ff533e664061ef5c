import { Global, Module } from '@nestjs/common';
import { join } from 'node:path';
import { SecurityConfig } from '../../config/security.config';
import { ServiceSecret } from './service-secret';

/** Where development keeps the secret it made for itself. */
const SECRET_FILE = join('data', 'jwt-secret');

@Global()
@Module({
  providers: [
    {
      provide: ServiceSecret,
      inject: [SecurityConfig],
      useFactory: ({ JWT_SECRET }: SecurityConfig) =>
        JWT_SECRET === null ? ServiceSecret.fromFile(SECRET_FILE) : new ServiceSecret(JWT_SECRET),
    },
  ],
  exports: [ServiceSecret],
})
export class ServiceSecretModule {}
