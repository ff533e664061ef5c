import { Module } from '@nestjs/common';
import { SystemNameResolver } from './adapters/system-name-resolver';
import { NameResolver } from './name-resolver';

/**
 * Requests to addresses that users chose, safe against server-side request forgery. Start with `OutboundHttpClient`, which
 * sends; `TargetGuard` decides where it may. This module has only what both need: a module that uses them makes them with
 * a policy of its own.
 */
@Module({ providers: [{ provide: NameResolver, useClass: SystemNameResolver }], exports: [NameResolver] })
export class OutboundHttpModule {}
