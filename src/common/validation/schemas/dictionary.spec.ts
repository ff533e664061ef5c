import * as v from 'valibot';
import { anyObject, dictionary } from './dictionary';

const texts = v.pipe(dictionary(v.pipe(v.string(), v.maxLength(14)), v.string()), v.maxEntries(4));

const parse = (json: string) => v.safeParse(texts, JSON.parse(json), { abortEarly: true });

describe('a dictionary', () => {
  it.each([
    '{}',
    '{"a":"b"}',
    '{"constructor":"c"}',
    '{"__proto__":"p","prototype":"q","constructor":"c"}',
    '{"toString":"t","hasOwnProperty":"h","valueOf":"v","":"e"}',
  ])('accepts every name of %s', (json) => {
    const { success, output } = parse(json);
    expect(success).toBe(true);
    expect(Object.entries(output as object)).toHaveLength(Object.keys(JSON.parse(json) as object).length);
    expect(JSON.parse(JSON.stringify(output))).toEqual(JSON.parse(json));
    expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
  });

  it.each([
    ['{"constructor":1}', 'constructor'],
    ['{"__proto__":{}}', '__proto__'],
    ['{"a":1}', 'a'],
    ['{"a-name-that-is-long":"x"}', 'a-name-that-is-long'],
  ])('checks every value and name: %s', (json, key) => {
    expect(parse(json).issues?.[0].path?.map((place) => place.key)).toEqual([key]);
  });

  it('counts every name', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'a', 'b'].map((name) => `"${name}":"x"`);
    expect(parse(`{${names.join()}}`).success).toBe(false);
    expect(parse(`{${names.slice(1).join()}}`).success).toBe(true);
  });

  it.each(['null', '1', '"text"'])('is not %s', (json) => {
    expect(parse(json).success).toBe(false);
  });

  it('may contain any nested value', () => {
    const json = '{"properties":{"constructor":{"__proto__":1}},"__proto__":{"a":[{}]}}';
    expect(JSON.stringify(v.parse(anyObject, JSON.parse(json)))).toBe(json);
  });
});
