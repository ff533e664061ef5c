import * as formats from '../../console/src/app/i18n/formats';
import { chooseLanguage, type Language } from '../../console/src/app/i18n/languages';
import { restoreGlobals, setPageGlobals } from './page-globals';

jest.mock('../../console/src/app/i18n/locale-files', () => jest.requireActual<object>('./locale-files'));

/** Intl uses special space characters as separators. */
const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

describe('formats', () => {
  beforeAll(() => setPageGlobals('en'));

  afterAll(restoreGlobals);

  const inLanguage = async (language: Language, format: () => string): Promise<string> => {
    await chooseLanguage(language);
    return plain(format());
  };

  beforeEach(() => chooseLanguage('en'));

  it.each<[Language, string, string, string]>([
    ['en', '1,234,567.5', '1.2M', '1.5 MB'],
    ['de', '1.234.567,5', '1,2 Mio.', '1,5 MB'],
    ['fr', '1 234 567,5', '1,2 M', '1,5 Mo'],
  ])('write numbers in %s in the local convention', async (language, number, short, megabytes) => {
    expect(await inLanguage(language, () => formats.formatNumber(1_234_567.5))).toBe(number);
    expect(plain(formats.formatShort(1_234_567))).toBe(short);
    expect(plain(formats.formatMegabytes(1.5 * formats.MEGABYTE))).toBe(megabytes);
  });

  it("show dates of the service independently of the time zone, and times in the browser's time zone", () => {
    expect([formats.formatDay('2026-01-31'), formats.formatShortDay('2026-01-31')]).toEqual(['Jan 31, 2026', '1/31']);
    expect(formats.formatMonth('2026-01')).toBe('January 2026');
    const local = new Date(2026, 0, 31, 15, 30);
    expect(plain(formats.formatTime(local.toISOString()))).toBe('Jan 31, 2026, 3:30 PM');
    expect([formats.formatTime(null), formats.formatTime(undefined), formats.formatTime('')]).toEqual(['—', '—', '—']);
  });

  it.each([
    [0, 'now'],
    [59, '59 seconds ago'],
    [60, '1 minute ago'],
    [3_599, '60 minutes ago'],
    [3_600, '1 hour ago'],
    [86_400, 'yesterday'],
    [-120, 'in 2 minutes'],
  ])('show what was %i seconds ago: %s', (seconds, words) => {
    const now = Date.UTC(2026, 0, 31);
    expect(formats.formatAgo(new Date(now - seconds * 1_000).toISOString(), now)).toBe(words);
  });

  it.each([
    [null, '—'],
    [undefined, '—'],
    [0, '0 ms'],
    [999.4, '999 ms'],
    [1_000, '1 sec'],
    [12_345, '12.3 sec'],
  ])('write a duration of %p milliseconds as %s', (milliseconds, words) => {
    expect(formats.formatDuration(milliseconds)).toBe(words);
  });

  it('show wait times in the natural unit', () => {
    expect([1, 99, 100, 3_600].map(formats.formatWait)).toEqual(['1 second', '99 seconds', '2 minutes', '60 minutes']);
  });

  it('sort words in the local order', () => {
    expect(['Zebra', 'ähnlich', 'apfel'].toSorted(formats.compareWords)).toEqual(['ähnlich', 'apfel', 'Zebra']);
  });
});
