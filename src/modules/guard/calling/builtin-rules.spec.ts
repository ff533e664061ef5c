import type { NamedRule } from '../guards/guard.entity';
import { findByRule } from './builtin-rules';

function found(rule: NamedRule, text: string): string[] {
  return findByRule(rule, text).map(({ start, end }) => text.slice(start, end));
}

describe('the built-in rules', () => {
  it.each([
    ['Write to ada@example.com.', ['ada@example.com']],
    ['<first.last+tag@sub.example.co.uk>, o’neil@x.io', ['first.last+tag@sub.example.co.uk', 'neil@x.io']],
    ['ü@bücher.example and 😀a@b.de', ['ü@bücher.example', 'a@b.de']],
    ['a@b, @example.com, a@-b.com, me@localhost', []],
  ])('find the e-mail addresses in %s', (text, expected) => {
    expect(found('email', text)).toEqual(expected);
  });

  it.each([
    ['4111111111111111', ['4111111111111111']],
    ['Card 4111 1111 1111 1111 12/27, or 5500-0000-0000-0004!', ['4111 1111 1111 1111', '5500-0000-0000-0004']],
    ['Order 12 378282246310005', ['378282246310005']],
    ['4111111111111112', []],
    ['94111111111111111 and 41111111111111119', []],
    ['4111  1111 1111 1111 and 4111.1111.1111.1111', []],
    ['411111111111', []],
    ['6304000000000000000', ['6304000000000000000']],
    ['00000000000000000000', []],
  ])('find the card numbers in %s', (text, expected) => {
    expect(found('credit_card', text)).toEqual(expected);
  });

  it.each([
    ['DE89370400440532013000', ['DE89370400440532013000']],
    ['Pay to DE89 3704 0044 0532 0130 00 by Friday', ['DE89 3704 0044 0532 0130 00']],
    ['IBAN GB82WEST12345698765432, NL91ABNA0417164300', ['GB82WEST12345698765432', 'NL91ABNA0417164300']],
    ['no9386011117947', ['no9386011117947']],
    ['DE89370400440532013001', []],
    ['XDE89370400440532013000', []],
    ['DE893704004405320130001', []],
    ['ZZ89370400440532013000', []],
  ])('find the account numbers in %s', (text, expected) => {
    expect(found('iban', text)).toEqual(expected);
  });

  it.each(['email', 'credit_card', 'iban'] as const)('look for %s in linear time', (rule) => {
    const began = performance.now();
    for (const unit of ['a', '1', 'a@', '1 ', 'DE89 ', 'a.', 'A1']) {
      findByRule(rule, unit.repeat(100_000 / unit.length));
    }
    expect(performance.now() - began).toBeLessThan(4_000);
  });
});
