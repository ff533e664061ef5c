import { findExcess } from './json-excess';

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0]));
const tooMany = (field: string, maximum: number) => ({ field, reason: 'too_many_items', values: { maximum } });
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const excessOf = (body: unknown) => findExcess(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

describe('a body', () => {
  it.each([
    ['1,000 members', members(1_000)],
    ['1,000 members in each of several places', { a: members(1_000), b: [members(1_000), members(1_000)] }],
    ['20,000 values', { list: Array(19_999).fill(0) }],
    ['lists of objects', { list: Array(6_666).fill({ a: 1, b: 2 }) }],
    ['32 levels', nested(32)],
    ['32 levels one after another', `[${nested(31)},${nested(31)}]`],
    ['brackets and commas in texts', { '[[{{': `${'['.repeat(99)}"${','.repeat(40_000)}\\"${'{'.repeat(99)}\\` }],
  ])('may have %s', (_name, body) => expect(excessOf(body)).toBeNull());

  it.each([
    ['1,001 members', members(1_001), tooMany('body', 1_000)],
    ['1,001 members within', { z: 1, a: [0, { y: 'a', b: members(1_001) }] }, tooMany('a.1.b', 1_000)],
    ['20,001 values', { list: Array(20_000).fill(0) }, tooMany('body', 20_000)],
    [
      '20,001 values in several places',
      { a: Array(10).fill(members(999)), b: Array(11).fill(members(999)) },
      tooMany('body', 20_000),
    ],
    ['33 levels', nested(33), { field: 'body', reason: 'nested_too_deeply' }],
    ['33 levels that never end', '{"a":['.repeat(17), { field: 'body', reason: 'nested_too_deeply' }],
  ])('may not have %s', (_name, body, fault) => expect(excessOf(body)).toEqual(fault));

  it('may have 50,000 values where whole conversations and files come', () => {
    const bodyOf = (values: number) => Buffer.from(JSON.stringify({ list: Array(values).fill(0) }));
    expect(findExcess(bodyOf(49_000), 29_360_128)).toBeNull();
    expect(findExcess(bodyOf(50_001), 29_360_128)).toEqual(tooMany('body', 50_000));
    expect(findExcess(bodyOf(20_001), 1_048_576)).toEqual(tooMany('body', 20_000));
  });

  it.each(['', '"', '"\\', '}}}]]],,,', '{"a', '[,,,', '\u{feff}{}'])('need not be valid JSON: %j', (text) => {
    expect(excessOf(text)).toBeNull();
  });
});
