import { existsSync } from 'node:fs';
import { join } from 'node:path';

const COPIES = join(__dirname, '../packages');
const PACKAGES = existsSync(COPIES) ? COPIES : join(__dirname, '../../node_modules');

/**
 * The path of a file for browsers that belongs to another package, such as `redoc/bundles/redoc.standalone.js`.
 *
 * ReDoc and Swagger UI are development dependencies: the service only sends their bundles, which contain all that they
 * need. The build copies the bundles to `dist/packages` (`assets` in `nest-cli.json`). Code that runs from its sources,
 * as in the tests, reads the installed package.
 */
export function copiedFile(path: string): string {
  return join(PACKAGES, path);
}
