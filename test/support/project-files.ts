import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const SOURCE = resolve(__dirname, '../../src');

/** The source files whose name ends in `suffix`, as paths from `src`. */
export function sourceFiles(suffix: string): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(suffix))
    .map((path) => relative(SOURCE, join(SOURCE, path)))
    .sort();
}

/** The migration files, the oldest first. */
export function migrationFiles(): string[] {
  return sourceFiles('.ts').filter((file) => file.startsWith('database/migrations/'));
}

/** All exports of the source files with this suffix, or of these files. */
export async function exportsOf(suffix: string | string[]): Promise<unknown[]> {
  const modules = await Promise.all(
    (typeof suffix === 'string' ? sourceFiles(suffix) : suffix).map(
      (path) => import(join(SOURCE, path)) as Promise<Record<string, unknown>>,
    ),
  );
  return modules.flatMap((exported) => Object.values(exported));
}
