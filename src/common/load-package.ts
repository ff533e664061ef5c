import { createRequire } from 'node:module';

/**
 * Loads a package that not every process needs, for example the driver of one of the databases. An import would cost
 * every process its time and memory.
 */
export const loadPackage: (name: string) => unknown = createRequire(__filename);
