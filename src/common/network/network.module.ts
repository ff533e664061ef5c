import { Module } from '@nestjs/common';
import { NameResolver } from './name-resolver';
import { SystemNameResolver } from './system-name-resolver';

/**
 * What requests to other machines need, whoever makes them: `guardedLookup` opens connections only to addresses that were
 * checked, `AllowedHosts` reads the operator's lists, `link-local.ts` knows what is never called.
 */
@Module({ providers: [{ provide: NameResolver, useClass: SystemNameResolver }], exports: [NameResolver] })
export class NetworkModule {}
