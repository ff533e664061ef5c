/* The template of modules is the example of the repository. Packing copies it into this package, and removes it again. */
import { cpSync, rmSync } from 'node:fs';
import { EXAMPLE, isSource, PACKED_EXAMPLE } from './create.mjs';

if (process.argv.includes('--clean')) {
  rmSync(PACKED_EXAMPLE, { recursive: true, force: true });
} else {
  cpSync(EXAMPLE, PACKED_EXAMPLE, { recursive: true, filter: isSource });
}
