import { chooseLanguage, type Language } from '../../console/src/app/i18n/languages';
import * as money from '../../console/src/app/i18n/money';
import { restoreGlobals, setPageGlobals } from './page-globals';

jest.mock('../../console/src/app/i18n/locale-files', () => jest.requireActual<object>('./locale-files'));

/** Intl uses special space characters as separators. */
const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

describe('money', () => {
  beforeAll(() => setPageGlobals('en'));

  afterAll(restoreGlobals);

  it('is added and subtracted to the last digit', () => {
    expect(money.sumOf('9007199254740993.000000000001', '0.1', '0.2')).toBe('9007199254740993.300000000001');
    expect(money.leftOf('10', '0.000000000001', '2.5')).toBe('7.499999999999');
    expect(money.leftOf('1', '0.7', '0.4')).toBe('0');
  });

  it.each([
    ['0', '5', 0],
    ['1', '3', 333],
    ['7', '5', 1000],
    ['0', '0', 1000],
    ['90071992547409930', '90071992547409931', 999],
  ])('%s of %s are %d thousandths', (part, whole, expected) => {
    expect(money.thousandthsOf(part, whole)).toBe(expected);
  });

  it.each([
    ['3', '2026-03-01', '93'],
    ['1.5', '2026-11-26', '1.730769230769'],
    ['28', '2026-02-28', '28'],
    ['1', '2028-02-29', '1'],
    ['0', '2026-12-31', '0'],
  ])('of %s until %s is forecast as %s for the whole month', (soFar, today, expected) => {
    expect(money.forecastOf(soFar, today)).toBe(expected);
  });

  it.each<[Language, string, string, string, string]>([
    ['en', '1234.5', 'USD', '$1,234.50', '$1,234.50'],
    ['en', '0.001234567', 'USD', '$0.00123', '$0.001234567'],
    ['en', '0', 'USD', '$0.00', '$0.00'],
    ['en', '0.5', 'EUR', '€0.50', '€0.50'],
    ['de', '1234.567', 'EUR', '1.234,57 €', '1.234,567 €'],
    ['ja', '12.25', 'JPY', '￥12', '￥12.25'],
    ['en', '9007199254740993', 'USD', '$9,007,199,254,740,993.00', '$9,007,199,254,740,993.00'],
  ])('in %s: %s %s is shown as %s, and exactly as %s', async (language, amount, currency, short, exact) => {
    await chooseLanguage(language);
    expect([money.formatMoney(amount, currency), money.formatExactMoney(amount, currency)].map(plain)).toEqual([
      short,
      exact,
    ]);
  });
});
