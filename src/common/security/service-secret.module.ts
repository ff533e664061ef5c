import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { SecurityConfig } from '../../config/security.config';
import { secretFromFile, ServiceSecret } from './service-secret';

/** The file in which development stores the secret that it has generated. */
const SECRET_FILE = join('data', 'jwt-secret');

@Global()
@Module({
  providers: [
    {
      provide: ServiceSecret,
      inject: [SecurityConfig],
      useFactory: ({ JWT_SECRET, JWT_SECRET_PREVIOUS }: SecurityConfig) =>
        new ServiceSecret(JWT_SECRET ?? secretFromFile(SECRET_FILE), JWT_SECRET_PREVIOUS),
    },
  ],
  exports: [ServiceSecret],
})
export class ServiceSecretModule {}
