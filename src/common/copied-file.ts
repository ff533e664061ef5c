import { existsSync } from 'node:fs';
import { join } from 'node:path';

const COPIES = join(__dirname, '../packages');
const PACKAGES = existsSync(COPIES) ? COPIES : join(__dirname, '../../node_modules');

/**
 * The path of a file that belongs to another package, such as `redoc/bundles/redoc.standalone.js`.
 *
 * Some packages are much larger than the files that the service reads from them. They are development dependencies, and
 * the build copies these files to `dist/packages` (`assets` in `nest-cli.json`). Code that runs from its sources, as in
 * the tests, reads the installed package.
 */
export function copiedFile(path: string): string {
  return join(PACKAGES, path);
}
