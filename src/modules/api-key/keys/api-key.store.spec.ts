import { crc32 } from 'node:zlib';
import { hashOfKey, isKeyText, newKeyText } from './api-key.store';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('the text of a key', () => {
  it('is the prefix, 43 random digits, and 6 check digits over both', () => {
    for (let time = 0; time < 1_000; time++) {
      const text = newKeyText();
      expect(text).toMatch(/^ck_[0-9A-Za-z]{49}$/);
      const check = [...text.slice(-6)].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);
      expect(check).toBe(crc32(text.slice(0, -6)));
      expect(isKeyText(text)).toBe(true);
    }
  });

  it('is never repeated', () => {
    expect(new Set(Array.from({ length: 1_000 }, newKeyText)).size).toBe(1_000);
  });

  it('is distinguished from every text that differs in one character', () => {
    const text = newKeyText();
    for (let place = 3; place < text.length; place++) {
      for (const digit of DIGITS) {
        const other = text.slice(0, place) + digit + text.slice(place + 1);
        expect(isKeyText(other)).toBe(other === text);
      }
    }
  });

  it.each(['', 'ck_', 'ck_é', `ck_${'0'.repeat(49)}`, `${newKeyText()}0`, ` ${newKeyText()}`, `${newKeyText()}\n`])(
    'is not %j',
    (text) => expect(isKeyText(text)).toBe(false),
  );

  it('is stored as its SHA-256', () => {
    expect(hashOfKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
