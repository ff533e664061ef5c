import { Global, Module } from '@nestjs/common';
import { Clock } from './clock';
import { DomainEvents } from './events/domain-events';
import { Lifecycle } from './lifecycle';

/** The small services that every module may inject. */
@Global()
@Module({ providers: [Clock, DomainEvents, Lifecycle], exports: [Clock, DomainEvents, Lifecycle] })
export class CommonModule {}
