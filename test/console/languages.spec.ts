import type * as Languages from '../../console/src/app/i18n/languages';
import { restoreGlobals, setPageGlobals } from './page-globals';

jest.mock('../../console/src/app/i18n/locale-files', () => jest.requireActual<object>('./locale-files'));

/** The module as a new page loads it. */
async function open(...languages: string[]): Promise<typeof Languages> {
  setPageGlobals(...languages);
  jest.resetModules();
  return await import('../../console/src/app/i18n/languages');
}

afterAll(restoreGlobals);

describe('the language of the console', () => {
  it.each([
    [['fr-CA', 'de'], 'fr'],
    [['pt-BR', 'ja'], 'ja'],
    [['pt', 'constructor'], 'en'],
    [[], 'en'],
  ])('is the first available one in %j: %s', async (languages, expected) => {
    const { preferredLanguage, loadTexts, language } = await open(...languages);
    expect(preferredLanguage()).toBe(expected);
    await loadTexts('shell');
    expect(language()).toBe(expected);
    expect(document.documentElement.lang).toBe(expected);
  });

  it("is the user's earlier choice, unless it is not available", async () => {
    const { preferredLanguage } = await open('fr');
    localStorage.setItem('console-language', 'de');
    expect(preferredLanguage()).toBe('de');
    localStorage.setItem('console-language', 'pt');
    expect(preferredLanguage()).toBe('fr');
  });

  it('is one that the installation offers, otherwise its first one', async () => {
    const { offerLanguages, preferredLanguage } = await open('fr');
    offerLanguages(['de', 'fr']);
    expect(preferredLanguage()).toBe('fr');
    offerLanguages(['de', 'en']);
    expect(preferredLanguage()).toBe('de');
  });

  it('changes everywhere immediately, including loaded content, and is stored', async () => {
    const { chooseLanguage, loadTexts, texts, language } = await open('en');
    await loadTexts('shell');
    await loadTexts('chat');
    const [shell, chat] = [texts('shell'), texts('chat')];
    expect([shell('cancel'), chat('send')]).toEqual(['Cancel', 'Send']);
    await chooseLanguage('de');
    expect([language(), shell('cancel'), chat('send')]).toEqual(['de', 'Abbrechen', 'Senden']);
    expect(localStorage.getItem('console-language')).toBe('de');
    await loadTexts('auth');
    expect(texts('auth')('sign_in')).toBe('Anmelden');
  });
});

describe('a text', () => {
  it('uses the plural form for its number, and formats numbers for the language', async () => {
    const { loadTexts, chooseLanguage, texts } = await open('en');
    await loadTexts('manage', 'chat');
    const [manage, chat] = [texts('manage'), texts('chat')];
    expect([manage('days', { count: 1 }), manage('days', { count: 1_000 })]).toEqual(['1 day', '1,000 days']);
    expect(chat('messages_left', { count: 2, left: '2' })).toBe('2 messages left today');
    await chooseLanguage('de');
    expect(manage('days', { count: 1_000 })).toBe('1.000 Tage');
    await chooseLanguage('ja');
    expect(manage('days', { count: 1 })).toContain('1');
  });

  it('keeps the placeholder of a missing value, and is its key until it is loaded', async () => {
    const { loadTexts, texts } = await open('en');
    const t = texts('shell');
    expect(t('signed_in_as')).toBe('signed_in_as');
    await loadTexts('shell');
    expect(t('signed_in_as')).toContain('{name}');
    expect(t('signed_in_as', { name: '{name} $& Ann' })).toContain('{name} $& Ann');
  });
});
