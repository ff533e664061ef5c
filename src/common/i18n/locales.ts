import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Language, LANGUAGES } from './language';

type Group = Record<string, string>;

/** The sentences of one language by group and key. */
export interface Sentences {
  /** By error code. */
  errors: Group;
  /** By reason. */
  validation: Group;
  messages: Group;
  pages: Record<string, Group>;
  /** By kind of mail. */
  mails: Record<string, Group>;
}

/** Every sentence of the loaded modules by language; all languages have the same keys, which a test checks. */
export const CATALOGUE = Object.fromEntries(
  LANGUAGES.map((language) => [language, { errors: {}, validation: {}, messages: {}, pages: {}, mails: {} }]),
) as Record<Language, Sentences>;

const folders = new Set<string>();

/**
 * Adds the sentences of `<folder>/locales/<language>.json`. A module calls it above its class. Importing the module
 * registers its sentences:
 *
 * @example
 * declareLocales(__dirname);
 *
 * \@Module({ controllers: [BookmarkController], providers: [BookmarkService] })
 * export class BookmarkModule {}
 */
export function declareLocales(folder: string): void {
  if (folders.has(folder)) {
    return;
  }
  folders.add(folder);
  for (const language of LANGUAGES) {
    const file = join(folder, 'locales', `${language}.json`);
    if (!existsSync(file)) {
      throw new Error(`${file} is missing.`);
    }
    const sentences = JSON.parse(readFileSync(file, 'utf8')) as Partial<Sentences>;
    for (const [group, texts] of Object.entries(sentences) as [keyof Sentences, Group][]) {
      const known = CATALOGUE[language][group];
      const taken = Object.keys(texts).filter((key) => Object.hasOwn(known, key));
      if (taken.length > 0) {
        throw new Error(`${file}: another module has the sentence ${group}.${taken.join(', ')}.`);
      }
      Object.assign(known, texts);
    }
  }
}

/** The folders whose sentences were added. */
export function declaredLocales(): string[] {
  return [...folders];
}

declareLocales(__dirname);
