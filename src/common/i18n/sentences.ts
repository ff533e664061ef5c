import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FeatureError } from '../features/feature.error';
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

/** Sentences by language; all languages have the same keys, which a test checks. */
export type Catalogue = Record<Language, Sentences>;

/**
 * Reads the sentences of modules from `<folder>/locales/<language>.json`.
 *
 * @throws FeatureError for a language that a module lacks, and for a sentence that two modules have
 */
export function readSentences(folders: readonly { module: string; fact: string }[]): Catalogue {
  const catalogue = Object.fromEntries(
    LANGUAGES.map((language) => [language, { errors: {}, validation: {}, messages: {}, pages: {}, mails: {} }]),
  ) as Catalogue;
  for (const { module, fact: folder } of folders) {
    for (const language of LANGUAGES) {
      add(catalogue[language], join(folder, 'locales', `${language}.json`), module);
    }
  }
  return catalogue;
}

function add(known: Sentences, file: string, module: string): void {
  if (!existsSync(file)) {
    throw new FeatureError(`${file} is missing: ${module} needs its sentences in all languages.`);
  }
  const sentences = JSON.parse(readFileSync(file, 'utf8')) as Partial<Sentences>;
  for (const [group, texts] of Object.entries(sentences) as [keyof Sentences, Group][]) {
    const taken = Object.keys(texts).filter((key) => Object.hasOwn(known[group], key));
    if (taken.length > 0) {
      throw new FeatureError(
        `${file}: another module has the sentence ${group}.${taken.join(', ')}. Rename that of ${module}.`,
      );
    }
    Object.assign(known[group], texts);
  }
}
