import { createRequire } from 'node:module';
import type Handlebars from 'handlebars';

/**
 * Loads a package that only some processes need, for example the driver of one of the databases. An import would cost
 * every process its time and memory.
 */
export const loadPackage: (name: string) => unknown = createRequire(__filename);

/** For messages, mails and pages. A process loads it when it renders the first of them. */
export function loadHandlebars(): typeof Handlebars {
  return loadPackage('handlebars') as typeof Handlebars;
}
