import { Module } from '@nestjs/common';
import { UnknownRouteController } from './unknown-route.controller';
import { UnknownRouteService } from './unknown-route.service';

/** The catch-all. Must be the last import of the composition root, because routes are tried in the order of modules. */
@Module({ controllers: [UnknownRouteController], providers: [UnknownRouteService] })
export class UnknownRouteModule {}
