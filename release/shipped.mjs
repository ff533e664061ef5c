import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** The list of packages in the console's scripts, written by Vite (`build.license` in console/vite.config.mts). */
export const CONSOLE_LICENSES = join(ROOT, 'dist/console/licenses.json');

/** Published as single files that already contain their dependencies. */
const WITH_DEPENDENCIES = ['redoc', 'swagger-ui-dist', 'mermaid'];

/** The folder of the build with bundles of packages that production does not install. */
const COPIED = join(ROOT, 'dist/packages');

/**
 * The packages in a build: the production dependencies, the packages that `nest build` copies, and those in the scripts
 * of the console. It needs the build.
 *
 * @returns {Map<string, { name: string, version: string, license: string | null, folder: string }>} by `name@version`,
 * sorted; `folder` is the path in the lock file, where a package for another platform is not installed
 */
export function shippedPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const folders = new Set(
    Object.entries(packages)
      .filter(([folder, { dev, link }]) => folder !== '' && !dev && !link)
      .map(([folder]) => folder),
  );
  readdirSync(COPIED).forEach((name) => folders.add(`node_modules/${name}`));
  for (const { name, version } of JSON.parse(readFileSync(CONSOLE_LICENSES, 'utf8'))) {
    folders.add(folderOf(packages, name, version));
  }
  WITH_DEPENDENCIES.forEach((name) => addWithDependencies(packages, `node_modules/${name}`, folders));
  const shipped = [...folders].map((folder) => {
    const { name = folder.slice(folder.lastIndexOf('node_modules/') + 13), version, license = null } = packages[folder];
    return [`${name}@${version}`, { name, version, license, folder }];
  });
  return new Map(shipped.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function folderOf(packages, name, version) {
  const found = Object.entries(packages).find(
    ([folder, one]) => folder.endsWith(`node_modules/${name}`) && one.version === version,
  );
  if (found === undefined) {
    throw new Error(`The lock file has no ${name}@${version}. Run npm ci, and build again.`);
  }
  return found[0];
}

function addWithDependencies(packages, folder, folders) {
  folders.add(folder);
  for (const name of Object.keys(packages[folder].dependencies ?? {})) {
    const dependency = resolved(packages, folder, name);
    if (dependency !== null && !folders.has(dependency)) {
      addWithDependencies(packages, dependency, folders);
    }
  }
}

/** Resolves a package from the folder of another one, as Node does. */
function resolved(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (candidate in packages) {
      return candidate;
    }
    if (folder === '') {
      return null;
    }
  }
}
