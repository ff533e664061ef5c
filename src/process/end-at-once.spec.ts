import type { INestApplication } from '@nestjs/common';
import { fake } from '../../test/support/fake';
import { endAtOnceWhenLate } from './end-at-once';
import { STOP_SIGNALS } from './stop-signals';

describe('a process that was asked to stop', () => {
  beforeEach(() => void jest.useFakeTimers());

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('exits if it has not stopped 20 s after the grace period', () => {
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const on = jest.spyOn(process, 'on').mockReturnValue(process);
    const parts = { warn: () => undefined, SHUTDOWN_GRACE_SECONDS: 25 };
    endAtOnceWhenLate(fake<INestApplication>({ get: () => parts }));
    expect(on.mock.calls.map(([signal]) => signal)).toEqual(STOP_SIGNALS);
    on.mock.calls[0]?.[1]();
    jest.advanceTimersByTime(44_999);
    expect(exit).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(exit).toHaveBeenCalledWith(143);
  });
});
