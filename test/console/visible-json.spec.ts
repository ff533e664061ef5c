import { visibleJson } from '../../console/src/components/acting/visible-json';

describe('the arguments shown for approval', () => {
  it.each([
    ['a\u200bb', '"a\\u200bb"'],
    ['a\u202eb', '"a\\u202eb"'],
    ['a\u00adb', '"a\\u00adb"'],
    ['\u{e0041}', '"\\udb40\\udc41"'],
    ['\u2028\u0085', '"\\u2028\\u0085"'],
    ['\u0000', '"\\u0000"'],
    ['Köln 東京 🏰', '"Köln 東京 🏰"'],
  ])('show every character of %j', (text, shown) => {
    expect(visibleJson(text)).toBe(shown);
    expect(JSON.parse(shown)).toBe(text);
  });

  it('include the names', () => {
    expect(visibleJson({ 'a\u200b': [1] })).toBe('{\n  "a\\u200b": [\n    1\n  ]\n}');
  });
});
