import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from './time';

const never = new Promise<never>(() => undefined);

describe('withTimeout', () => {
  it('returns the awaited value, and clears its timer', async () => {
    const cleared = jest.spyOn(global, 'clearTimeout');
    await expect(withTimeout(Promise.resolve('here'), 60_000, () => 'late')).resolves.toBe('here');
    expect(cleared).toHaveBeenCalledTimes(1);
    cleared.mockRestore();
  });

  it('fails when the awaited promise fails', async () => {
    await expect(withTimeout(Promise.reject(new Error('gone')), 60_000, () => 'late')).rejects.toThrow('gone');
  });

  it('returns the value of `late` when the time limit passes', async () => {
    await expect(withTimeout(never, 1, () => 'late')).resolves.toBe('late');
  });

  it('fails when the time limit passes and `late` throws', async () => {
    const late = () => {
      throw new Error('no answer');
    };
    await expect(withTimeout(never, 1, late)).rejects.toThrow('no answer');
  });

  it('uses a result that arrives while `late` is still running', async () => {
    const late = () => delay(60_000, 'late', { ref: false });
    await expect(withTimeout(delay(20, 'here'), 1, late)).resolves.toBe('here');
  });

  it('ignores a failure that comes too late', async () => {
    const failing = delay(10).then(() => Promise.reject(new Error('gone')));
    await expect(withTimeout(failing, 1, () => 'late')).resolves.toBe('late');
    await delay(20);
  });
});
