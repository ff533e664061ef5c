const { execFileSync } = require('node:child_process');
const { existsSync, readFileSync, symlinkSync } = require('node:fs');
const path = require('node:path');
// The guard of the temporary folder is written in TypeScript.
require('../../test/crash/typescript-loader.js');
const { GuardedProcess } = require('../../test/support/servers/guarded-process.ts');

const ROOT = path.join(__dirname, '../..');

/** The limit of an installation, and of a build. */
const MAX_MILLISECONDS = 15 * 60_000;

/**
 * Another commit of this project, built in a temporary folder that is deleted when this process exits for any reason.
 */
class EarlierBuild {
  /** @param {string} commit whatever git can resolve, or the `dist` folder of an existing build */
  static async make(commit) {
    const build = new EarlierBuild();
    build.guarded = await GuardedProcess.open('chat-bench-build');
    /** A folder for other data that is deleted with the build. */
    build.folder = build.guarded.folder;
    if (existsSync(path.join(commit, 'main.js'))) {
      build.name = commit;
      build.dist = path.resolve(commit);
      return build;
    }
    build.commit = git('rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`);
    build.name = build.commit.slice(0, 8);
    const sources = path.join(build.folder, 'sources');
    build.dist = path.join(sources, 'dist');
    console.log(`Building ${git('log', '-1', '--format=%h (%as) %s', build.commit)} …`);
    await build.run(`mkdir "$1" && git -C "$2" archive --output "$1.tar" "$3" && tar -xf "$1.tar" -C "$1"`, [
      sources,
      ROOT,
      build.commit,
    ]);
    await build.install(sources);
    await build.run('cd "$1" && npm run build', [sources]);
    return build;
  }

  /** Packages are installed only if the lock file differs, because that takes minutes. */
  async install(sources) {
    const [own, present] = [sources, ROOT].map((folder) =>
      readFileSync(path.join(folder, 'package-lock.json'), 'utf8'),
    );
    if (own === present) {
      symlinkSync(path.join(ROOT, 'node_modules'), path.join(sources, 'node_modules'));
    } else {
      await this.run('cd "$1" && npm ci --include=dev --no-audit --no-fund', [sources]);
    }
  }

  /** @throws Error with the last lines of output if the script fails */
  run(script, parameters) {
    return this.guarded.run('sh', ['-c', script, 'sh', ...parameters], MAX_MILLISECONDS);
  }

  close() {
    return this.guarded.close();
  }
}

/**
 * @returns {string}
 * @throws Error with the reason, such as an unknown commit
 */
function git(...parameters) {
  return execFileSync('git', ['-C', ROOT, ...parameters], { encoding: 'utf8' }).trim();
}

module.exports = { EarlierBuild };
