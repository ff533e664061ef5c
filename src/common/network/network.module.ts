import { Module } from '@nestjs/common';
import { NameResolver } from './name-resolver';
import { SystemNameResolver } from './system-name-resolver';

/**
 * Shared code for requests to other machines. `guardedLookup` opens connections only to checked addresses,
 * `AllowedHosts` reads the operator's lists, and `link-local.ts` lists addresses that are never called.
 */
@Module({ providers: [{ provide: NameResolver, useClass: SystemNameResolver }], exports: [NameResolver] })
export class NetworkModule {}
