import { findMalformed } from './well-formed';

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0]));
const tooMany = (field: string, maximum: number) => ({ field, reason: 'too_many_items', values: { maximum } });

describe('a body', () => {
  it.each([
    ['1,000 members', members(1_000)],
    ['30,000 values', { list: Array(29_999).fill(0) }],
    ['lists of objects', { list: Array(10_000).fill({ a: 1, b: 2 }).slice(0, 9_999) }],
  ])('may have %s', (_name, body) => expect(findMalformed(body)).toBeNull());

  it.each([
    ['1,001 members', members(1_001), tooMany('body', 1_000)],
    ['1,001 members within', { a: [{ b: members(1_001) }] }, tooMany('a.0.b', 1_000)],
    ['30,001 values', { list: Array(30_000).fill(0) }, tooMany('body', 30_000)],
    [
      '30,001 values in several places',
      { a: Array(20).fill(members(999)), b: Array(11).fill(members(999)) },
      tooMany('body', 30_000),
    ],
  ])('may not have %s', (_name, body, fault) => expect(findMalformed(body)).toEqual(fault));
});
