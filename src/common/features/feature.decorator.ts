import { Module, type ModuleMetadata } from '@nestjs/common';
import type { FeatureFacts, FeatureMetadata } from './feature-facts';

const FACTS = Symbol('FACTS');

/**
 * A Nest module that also declares what else belongs to it: messages, groups of routes, events, mails and settings.
 * `Features` reads these facts when the application is built, in the order in which `AppModule` lists the modules.
 *
 * @example
 * \@Feature({
 *   folder: __dirname,
 *   groups: { Bookmarks: 'Messages that a user marked.' },
 *   events: [bookmarkCreated],
 *   controllers: [BookmarkController],
 *   providers: [BookmarkService],
 * })
 * export class BookmarkModule {}
 */
export function Feature({ imports, controllers, providers, exports, ...facts }: FeatureMetadata): ClassDecorator {
  const given = Object.entries({ imports, controllers, providers, exports }).filter(([, value]) => value !== undefined);
  return (target) => {
    Module(Object.fromEntries(given) as ModuleMetadata)(target);
    Reflect.defineMetadata(FACTS, facts, target);
  };
}

/** The facts that a module declares; undefined for a module without `@Feature`. */
export function factsOf(module: object): FeatureFacts | undefined {
  return Reflect.getOwnMetadata(FACTS, module) as FeatureFacts | undefined;
}
