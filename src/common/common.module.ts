import { Global, Module } from '@nestjs/common';
import { Clock } from './clock';
import { DomainEvents } from './events/domain-events';
import { BodyReceiver } from './http/body-receiver';
import { Lifecycle } from './lifecycle';

/** The small services that every module may inject. */
@Global()
@Module({
  providers: [Clock, DomainEvents, Lifecycle, BodyReceiver],
  exports: [Clock, DomainEvents, Lifecycle, BodyReceiver],
})
export class CommonModule {}
