import { growingCache } from './growing-cache';

describe('growingCache', () => {
  it('forgets what was used longest ago', () => {
    const cache = growingCache<string, number>(2).set('one', 1).set('two', 2);
    cache.get('one');
    cache.set('three', 3);
    expect([...cache.keys()].sort()).toEqual(['one', 'three']);
  });

  it('takes no memory for entries that it does not have', () => {
    // Places for so many would be more than an array can have.
    expect(growingCache<string, number>(2 ** 40).set('one', 1).size).toBe(1);
  });
});
