/* Writes `dist/build.json`: which version and commit a build is of. It runs after `nest build`, which deletes the
   folder. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { ROOT } from './shipped.mjs';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const facts = { version, commit: env.BUILD_COMMIT || commitOfFolder(), built_at: new Date().toISOString() };
writeFileSync(join(ROOT, 'dist/build.json'), `${JSON.stringify(facts, null, 2)}\n`);

/** Null outside a git repository, such as in an image or an unpacked archive. */
function commitOfFolder() {
  try {
    const options = { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['rev-parse', 'HEAD'], options).trim();
  } catch {
    return null;
  }
}
