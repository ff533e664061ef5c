import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { Injectable } from '@nestjs/common';
import { KeptFile } from '../common/http/kept-file';

const PAGE = 'index.html';

/**
 * The files of the console, as `npm run build` makes them from the folder `console`. They are looked for at the first
 * request, and each is read when it is first asked for: a service whose console nobody opens does not pay for it.
 */
@Injectable()
export class ConsoleFiles {
  /** Where the built service has them. Code that runs from its sources, as in the tests, uses the same folder. */
  folder = join(__dirname, '../../dist/console');

  private files: Map<string, KeptFile> | undefined;

  get areBuilt(): boolean {
    return existsSync(join(this.folder, PAGE));
  }

  /** The page of the console; undefined when it is not built. */
  page(): KeptFile | undefined {
    return this.find(PAGE);
  }

  /** @param path below the folder, with slashes; only the exact name of a file finds it */
  find(path: string): KeptFile | undefined {
    if (!this.files && this.areBuilt) {
      this.files = filesIn(this.folder);
    }
    return this.files?.get(path);
  }
}

/** Only what is listed here can be asked for: no folder, and no link that leads out of the folder. */
function filesIn(folder: string): Map<string, KeptFile> {
  const root = realpathSync(folder);
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const locations = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  // Newer versions of Node.js also list what is behind a link to a folder.
  const own = locations.filter((location) => realpathSync(location) === location);
  return new Map(
    own.map((location) => {
      const path = relative(root, location).replaceAll(sep, '/');
      return [path, new KeptFile(extname(location), () => readFileSync(location), cacheControlOf(path))];
    }),
  );
}

function cacheControlOf(path: string): string | undefined {
  // The names of these contain a hash of their content.
  if (path.startsWith('assets/')) {
    return 'public, max-age=31536000, immutable';
  }
  // The page names them, so an old page would ask for files that a new release no longer has.
  return path.endsWith('.html') ? 'no-store' : undefined;
}
