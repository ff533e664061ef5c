import { growingCache } from './growing-cache';

describe('growingCache', () => {
  it('evicts the least recently used entry', () => {
    const cache = growingCache<string, number>(2).set('one', 1).set('two', 2);
    cache.get('one');
    cache.set('three', 3);
    expect([...cache.keys()].sort()).toEqual(['one', 'three']);
  });

  it('allocates no memory for entries that it does not have', () => {
    // An array cannot have this many elements.
    expect(growingCache<string, number>(2 ** 40).set('one', 1).size).toBe(1);
  });
});
