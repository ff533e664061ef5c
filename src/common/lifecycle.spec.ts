import { Logger } from '@nestjs/common';
import { ServiceUnavailableError } from './errors/common.errors';
import { Lifecycle } from './lifecycle';

describe('the shutdown of the process', () => {
  it('accepts no new work from its first moment, and runs all shutdown tasks in parallel', async () => {
    const lifecycle = new Lifecycle();
    lifecycle.assertAcceptsWork();
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    for (const name of ['replies', 'mails']) {
      lifecycle.onDrain(() => {
        begun.push(`${name} ${lifecycle.isDraining}`);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    }
    let isOver = false;
    const draining = lifecycle.drain().then(() => (isOver = true));
    expect(() => lifecycle.assertAcceptsWork()).toThrow(ServiceUnavailableError);
    expect(begun).toEqual(['replies true', 'mails true']);
    ends[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    ends[1]?.();
    await draining;
  });

  it('is not delayed by a shutdown task that fails', async () => {
    const lifecycle = new Lifecycle();
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    let isSaid = false;
    lifecycle.onDrain(() => Promise.reject(new Error('no')));
    lifecycle.onDrain(() => Promise.resolve().then(() => (isSaid = true)));
    await lifecycle.drain();
    expect(isSaid).toBe(true);
    expect(error).toHaveBeenCalledTimes(1);
    error.mockRestore();
  });
});
