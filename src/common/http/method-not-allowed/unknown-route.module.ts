import { Module } from '@nestjs/common';
import { UnknownRouteController } from './unknown-route.controller';

/**
 * The catch-all. Must be the last import of the composition root, because routes are matched in the order of modules.
 */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}
