import { Module } from '@nestjs/common';
import { SystemNameResolver } from './adapters/system-name-resolver';
import { NameResolver } from './name-resolver';

/** What `TargetGuard` and `OutboundHttpClient` need; whoever uses them makes them with a policy of its own. */
@Module({ providers: [{ provide: NameResolver, useClass: SystemNameResolver }], exports: [NameResolver] })
export class OutboundHttpModule {}
