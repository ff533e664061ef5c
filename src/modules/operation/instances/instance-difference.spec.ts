import { findDifference } from './instance-difference';

const instance = (started: string | null, version: string | null, config_hash = 'a', state = 'serving') =>
  ({ state, version, config_hash, started_at: started && `2026-07-31T${started}:00.000Z` }) as never;

describe('how instances differ', () => {
  it('is nothing while all that serve have the same version and settings', () => {
    expect(findDifference([])).toBeNull();
    expect(findDifference([instance('10:00', '1.0.0'), instance('12:00', '1.0.0')])).toBeNull();
    const others = [instance('11:00', '2.0.0', 'a', 'lost'), instance('11:00', '2.0.0', 'a', 'draining')];
    expect(findDifference([instance('10:00', '1.0.0'), ...others])).toBeNull();
  });

  it.each([
    ['versions', instance('11:00', '1.1.0'), 2],
    ['settings', instance('11:00', '1.0.0', 'b'), 2],
  ])('is known since the first of other %s began', (_what, other, count) => {
    const since = new Date('2026-07-31T11:00:00.000Z');
    expect(findDifference([instance('12:00', '1.0.0'), other, instance('10:00', '1.0.0')])).toEqual({ since, count });
  });

  it('counts an earlier version, which reports nothing, as running before', () => {
    expect(findDifference([instance('10:00', '1.1.0'), instance(null, null)])).toEqual({
      since: new Date('2026-07-31T10:00:00.000Z'),
      count: 2,
    });
  });
});
