import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_VERSION } from './service-version';

/** Of which sources the running service was built. */
export interface BuildFacts {
  version: string;
  /** Null if the build had neither `BUILD_COMMIT` nor a git repository. */
  commit: string | null;
  /** Null without a build, in tests. */
  built_at: string | null;
}

const FILE = join(__dirname, '..', 'build.json');

export const BUILD: BuildFacts = {
  version: SERVICE_VERSION,
  commit: null,
  built_at: null,
  ...(existsSync(FILE) && (JSON.parse(readFileSync(FILE, 'utf8')) as Partial<BuildFacts>)),
};

/** For people: `1.0.0 (commit 4d0435f8…, built 2026-07-31T12:00:00.000Z)`. */
export function describeBuild({ version, commit, built_at }: BuildFacts = BUILD): string {
  const facts = [commit && `commit ${commit}`, built_at && `built ${built_at}`].filter((fact) => fact !== null);
  return facts.length === 0 ? version : `${version} (${facts.join(', ')})`;
}
