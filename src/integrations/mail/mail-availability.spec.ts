import { Logger } from '@nestjs/common';
import { Attention } from '../../common/attention/attention';
import { Clock } from '../../common/clock';
import { EmailSendFailedError } from './mail.errors';
import { MailAvailability } from './mail-availability';
import { MailTransport } from './mail-transport';

class ScriptedTransport extends MailTransport {
  readonly verify = jest.fn<Promise<void>, []>(() => Promise.resolve());
  readonly send = jest.fn<Promise<void>, []>();
}

function setUp() {
  let offset = 0;
  const clock = new Clock();
  jest.spyOn(clock, 'now').mockImplementation(() => new Date(1_000_000 + offset));
  jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  jest.spyOn(Logger.prototype, 'log').mockReturnValue();
  const transport = new ScriptedTransport();
  const pass = (milliseconds: number) => (offset += milliseconds);
  return { transport, availability: new MailAvailability(transport, clock, new Attention()), pass };
}

describe('MailAvailability', () => {
  it('probes once for all concurrent callers', async () => {
    const { transport, availability } = setUp();
    await Promise.all([1, 2, 3].map(() => availability.assertAvailable()));
    expect(transport.verify).toHaveBeenCalledTimes(1);
  });

  it('does not probe again shortly after an answer, but does after a quiet period', async () => {
    const { transport, availability, pass } = setUp();
    availability.reportContact();
    await availability.assertAvailable();
    expect(transport.verify).not.toHaveBeenCalled();
    pass(31_000);
    await availability.assertAvailable();
    expect(transport.verify).toHaveBeenCalledTimes(1);
  });

  it('refuses the first call if the server is down at the start', async () => {
    const { transport, availability } = setUp();
    transport.verify.mockRejectedValue(new Error('refused'));
    const failure = await availability.assertAvailable().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EmailSendFailedError);
    expect((failure as EmailSendFailedError).retryAfterSeconds).toBe(5);
  });

  it('refuses at once, without a probe, while the server is known to be down', async () => {
    const { transport, availability, pass } = setUp();
    availability.reportContact();
    availability.reportUnreachable(new Error('refused'));
    pass(60_000);
    await expect(availability.assertAvailable()).rejects.toBeInstanceOf(EmailSendFailedError);
    expect(transport.verify).not.toHaveBeenCalled();
  });

  it('accepts again after a successful probe', async () => {
    const { availability } = setUp();
    availability.reportUnreachable(new Error('refused'));
    await expect(availability.probe()).resolves.toBe(true);
    await expect(availability.assertAvailable()).resolves.toBeUndefined();
  });

  it('treats a server that answers too slowly as available', async () => {
    jest.useFakeTimers();
    try {
      const { transport, availability } = setUp();
      transport.verify.mockReturnValue(new Promise(() => undefined));
      const passed = availability.assertAvailable();
      await jest.advanceTimersByTimeAsync(3_000);
      await expect(passed).resolves.toBeUndefined();
    } finally {
      jest.useRealTimers();
    }
  });
});
