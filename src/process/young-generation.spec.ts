import { spawnSync } from 'node:child_process';

describe('the flags for the heap', () => {
  it('are known to this V8, which ignores unknown flags with a line that no user reads', () => {
    const run = (flag: string): number | null => spawnSync(process.execPath, [flag, '--eval', '']).status;
    expect(run('--semi-space-growth-factor=1')).toBe(0);
    expect(run('--compact-on-every-full-gc')).toBe(0);
    expect(run('--semi-space-growth-factors=1')).not.toBe(0);
  });
});
