import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCALES = join(__dirname, '../../console/src/locales');

type Texts = Record<string, string>;

/** Vite's view of the locales folder: a loader function for each file, by its path. */
export const localeFiles: Record<string, () => Promise<Texts>> = Object.fromEntries(
  readdirSync(LOCALES).flatMap((language) =>
    readdirSync(join(LOCALES, language)).map((area) => [
      `../../locales/${language}/${area}`,
      () => Promise.resolve(JSON.parse(readFileSync(join(LOCALES, language, area), 'utf8')) as Texts),
    ]),
  ),
);
