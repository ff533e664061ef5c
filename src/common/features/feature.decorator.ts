import { fileURLToPath } from 'node:url';
import { Module, type ModuleMetadata } from '@nestjs/common';
import type { FeatureFacts, FeatureMetadata } from './feature-facts';

/** Set on the controllers of a feature with a page: the path of the page. */
export const PAGE_METADATA = 'pageOfFeature';

const FACTS = Symbol('FACTS');
const FILE = Symbol('FILE');

/** The call in a line of a stack: `at Object.<anonymous> (/path/file.js:1:2)`, `at file:///path/file.mjs:1:2`. */
const PLACE = /(?:\(|at )(\/[^(]*|file:[^(]*|[A-Z]:[^(]*):\d+:\d+\)?$/;

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
  const file = callerFile();
  return (target) => {
    Reflect.defineMetadata(FILE, file, target);
    Module(Object.fromEntries(given) as ModuleMetadata)(target);
    Reflect.defineMetadata(FACTS, facts, target);
    if (facts.page) {
      for (const controller of controllers ?? []) {
        Reflect.defineMetadata(PAGE_METADATA, facts.page.path, controller);
      }
    }
  };
}

/** The facts that a module declares; undefined for a module without `@Feature`. */
export function factsOf(module: object): FeatureFacts | undefined {
  return Reflect.getOwnMetadata(FACTS, module) as FeatureFacts | undefined;
}

/** The file with the `@Feature` of a module, for reports that name it; undefined if it is not known. */
export function fileOf(module: object): string | undefined {
  return Reflect.getOwnMetadata(FILE, module) as string | undefined;
}

/** The file that called the function which calls this one; undefined if the stack does not show it. */
function callerFile(): string | undefined {
  const [, , , line = ''] = (new Error().stack ?? '').split('\n');
  const [, place] = PLACE.exec(line) ?? [];
  return place?.startsWith('file:') ? fileURLToPath(place) : place;
}
