import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { serviceFeatures, speakAsService } from '../../../test/support/service-features';
import { ApiError } from '../errors/api-error';
import { type Language, LANGUAGES } from './language';
import { isTranslated, translate } from './translator';
import { validationMessage } from './validation-message';

const CATALOGUE = speakAsService();

type Sentences = Map<string, string>;

function sentences(tree: object, prefix = ''): Sentences {
  return new Map(
    Object.entries(tree).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? [...sentences(value, `${prefix}${name}.`)]
        : [[`${prefix}${name}`, String(value)] as const],
    ),
  );
}

const placeholders = (text: string) => [...text.matchAll(/\{\{\s*[^}]+\}\}/g)].map(([found]) => found).sort();

/** The differences between two catalogues: keys that only one has, and texts with different placeholders. */
function differences(expected: Sentences, actual: Sentences): string[] {
  const keys = new Set([...expected.keys(), ...actual.keys()]);
  return [...keys].filter((key) => {
    const [one, other] = [expected.get(key), actual.get(key)];
    return one === undefined || other === undefined || placeholders(one).join() !== placeholders(other).join();
  });
}

async function publishedCodes(): Promise<string[]> {
  const source = resolve(__dirname, '../..');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.errors.ts'),
  );
  const modules = await Promise.all(
    files.map((file) => import(join(source, file)) as Promise<Record<string, unknown>>),
  );
  return modules
    .flatMap((exported) => Object.values(exported))
    .flatMap((value) =>
      typeof value === 'function' && value.prototype instanceof ApiError && 'code' in value ? [String(value.code)] : [],
    );
}

const english = sentences(CATALOGUE.en);

describe('the catalogue', () => {
  it('has the texts of every module', () => {
    const source = resolve(__dirname, '../..');
    const folders = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => basename(path) === 'locales')
      .map((path) => dirname(join(source, path)));
    expect(
      serviceFeatures
        .folders()
        .map(({ fact }) => fact)
        .sort(),
    ).toEqual(folders.sort());
  });

  it.each(LANGUAGES)('has every key and placeholder in %s', (language) => {
    expect(differences(english, sentences(CATALOGUE[language]))).toEqual([]);
  });

  it.each(LANGUAGES)('has no empty text and no extra spaces in %s', (language) => {
    const faulty = [...sentences(CATALOGUE[language])].filter(([, text]) => text === '' || text !== text.trim());
    expect(faulty).toEqual([]);
  });

  it.each(LANGUAGES.filter((language) => language !== 'en'))('has no untranslated English text in %s', (language) => {
    const own = sentences(CATALOGUE[language]);
    const untranslated = [...english].filter(([key, text]) => own.get(key) === text && !/_at$/.test(key));
    expect(untranslated).toEqual([]);
  });

  it('detects a missing key and a missing placeholder', () => {
    const changed = new Map(english).set('errors.RATE_LIMIT_EXCEEDED', 'Too many requests.');
    changed.delete('errors.FORBIDDEN');
    expect(differences(english, changed)).toEqual(['errors.FORBIDDEN', 'errors.RATE_LIMIT_EXCEEDED']);
  });

  it('has a message for every error class of the service', async () => {
    const codes = await publishedCodes();
    expect(codes).toContain('INTERNAL_ERROR');
    expect(codes.filter((code) => !isTranslated(`errors.${code}`))).toEqual([]);
  });
});

describe('translate', () => {
  it('fills placeholders in the language of the text', () => {
    const values = { used: 100_000, limit: 100_000, retry_after: 3_600 };
    expect(translate('en', 'errors.QUOTA_EXCEEDED', values)).toBe(
      'You have used up your daily allowance (100,000 of 100,000). It resets in 1 hour.',
    );
    expect(translate('de', 'errors.QUOTA_EXCEEDED', values)).toBe(
      'Ihr Tageskontingent ist aufgebraucht (100.000 von 100.000). Es wird in 1 Stunde zurückgesetzt.',
    );
  });

  it.each<[number, string]>([
    [0, '1 second'],
    [41.2, '42 seconds'],
    [60, '1 minute'],
    [61, '61 seconds'],
    [121, '3 minutes'],
    [600, '10 minutes'],
    [5_400, '90 minutes'],
    [86_400, '24 hours'],
  ])('writes %d seconds as %s', (seconds, words) => {
    expect(translate('en', 'errors.ACCOUNT_LOCKED', { retry_after: seconds })).toContain(`in ${words}.`);
  });

  it('writes days in UTC and in the order of the language', () => {
    const values = { erase_at: '2026-03-01T23:59:59.000Z' };
    expect(translate('de', 'messages.account_deletion_scheduled', values)).toContain('am 1. März 2026 gelöscht');
    expect(translate('ja', 'messages.account_deletion_scheduled', values)).toContain('2026年3月1日');
  });

  it.each(['NumberFormat', 'DateTimeFormat'] as const)('does not create a new %s for each text', (kind) => {
    const limit = { used: 1, limit: 2, retry_after: 3_600 };
    const sentences = (): string[] => [
      translate('fr', 'errors.QUOTA_EXCEEDED', limit),
      translate('fr', 'messages.account_deletion_scheduled', { erase_at: '2026-03-01T23:59:59.000Z' }),
      translate('fr', 'mails.email_test.sent_at', { requestedAt: 0 }),
    ];
    const before = sentences();
    const made = jest.spyOn(Intl, kind);
    expect(sentences()).toEqual(before);
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });

  it('treats values as plain text', () => {
    for (const field of ['$t(errors.FORBIDDEN)', '{{maximum}}', '$&', '<b>&amp;']) {
      expect(translate('en', 'validation.required', { field, maximum: 9 })).toBe(`“${field}” is required.`);
    }
    expect(translate('en', 'validation.required', { field: 'x', lng: 'de', count: 2, context: 'a' })).toBe(
      '“x” is required.',
    );
  });

  it('returns the key when there is no text', () => {
    expect(translate('de', 'errors.NO_SUCH_CODE')).toBe('errors.NO_SUCH_CODE');
    expect(isTranslated('errors.NO_SUCH_CODE')).toBe(false);
    expect(isTranslated('errors')).toBe(false);
  });
});

describe('validationMessage', () => {
  it('names the field and the limit', () => {
    const rule = { field: 'title', reason: 'too_long', values: { maximum: 200 } };
    expect(validationMessage('en', rule)).toBe('“title” is too long. Maximum length: 200.');
    expect(validationMessage('zh', rule)).toBe('“title”过长，最大长度为 200。');
  });

  it.each<[Language, string]>([
    ['en', '“colour” is not valid.'],
    ['fr', '« colour » n’est pas valide.'],
  ])('has a generic message in %s for unknown reasons', (language, sentence) => {
    expect(validationMessage(language, { field: 'colour', reason: 'too_green' })).toBe(sentence);
  });
});
