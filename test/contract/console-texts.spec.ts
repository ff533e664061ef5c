import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usedTexts } from '../support/console-texts';

type Texts = Record<string, string>;

const FOLDER = join(__dirname, '../../console/src/locales');
const OTHERS = readdirSync(FOLDER).filter((language) => language !== 'en');
const AREAS = readdirSync(join(FOLDER, 'en'));

const read = (language: string, area: string) =>
  JSON.parse(readFileSync(join(FOLDER, language, area), 'utf8')) as Texts;

/** `files_one` and `files_other` are one text; a language has the forms that its plural rules require. */
const stem = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '');
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

/** Placeholders in all forms of a text, because “one file” need not contain the number. */
function names(texts: Texts, key: string): string[] {
  const forms = Object.keys(texts).filter((other) => stem(other) === stem(key));
  return [...new Set(forms.flatMap((form) => placeholders(texts[form]!)))].sort();
}

describe('the texts of the console', () => {
  it('exist in all languages of the service', () => {
    expect(OTHERS.sort()).toEqual(['de', 'es', 'fr', 'ja', 'zh']);
  });

  it('are all shown somewhere', () => {
    const used = usedTexts();
    const unused = AREAS.flatMap((area) => {
      const part = area.replace('.json', '');
      const keys = new Set(Object.keys(read('en', area)).map(stem));
      return [...keys].filter((key) => !used.get(part)?.has(key)).map((key) => `${part}: ${key}`);
    });
    expect(unused).toEqual([]);
  });

  describe.each(OTHERS)('in %s', (language) => {
    it.each(AREAS)('are complete: %s', (area) => {
      const [english, texts] = [read('en', area), read(language, area)];
      const stems = (all: Texts) => [...new Set(Object.keys(all).map(stem))].sort();
      expect(stems(texts)).toEqual(stems(english));
      expect(Object.entries(texts).filter(([, text]) => text.trim() === '')).toEqual([]);
      const wrong = Object.keys(texts).filter(
        (key) => JSON.stringify(names(texts, key)) !== JSON.stringify(names(english, key)),
      );
      expect(wrong).toEqual([]);
    });

    it.each(AREAS)('have the form for every number: %s', (area) => {
      const texts = read(language, area);
      const plurals = Object.keys(texts).filter((key) => key.endsWith('_other'));
      const category = new Intl.PluralRules(language).select(1);
      const missing = plurals.map((key) => `${stem(key)}_${category}`).filter((key) => !(key in texts));
      expect(category === 'other' ? [] : missing).toEqual([]);
    });
  });
});
