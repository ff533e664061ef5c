import { Global, Module } from '@nestjs/common';
import { Clock } from './clock';
import { DomainEvents } from './events/domain-events';
import { BodyMemory } from './http/body/body-memory';
import { BodyReceiver } from './http/body/body-receiver';
import { Lifecycle } from './lifecycle';

const SERVICES = [BodyMemory, BodyReceiver, Clock, DomainEvents, Lifecycle];

/** The small services that every module may inject. */
@Global()
@Module({ providers: SERVICES, exports: SERVICES })
export class CommonModule {}
