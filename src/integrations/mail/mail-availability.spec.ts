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
  it('asks once for all callers that arrive together', async () => {
    const { transport, availability } = setUp();
    await Promise.all([1, 2, 3].map(() => availability.assertAvailable()));
    expect(transport.verify).toHaveBeenCalledTimes(1);
  });

  it('does not ask again shortly after an answer, but asks after a quiet time', async () => {
    const { transport, availability, pass } = setUp();
    availability.reportContact();
    await availability.assertAvailable();
    expect(transport.verify).not.toHaveBeenCalled();
    pass(31_000);
    await availability.assertAvailable();
    expect(transport.verify).toHaveBeenCalledTimes(1);
  });

  it('refuses already the first call when the server is away at the start', async () => {
    const { transport, availability } = setUp();
    transport.verify.mockRejectedValue(new Error('refused'));
    const failure = await availability.assertAvailable().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EmailSendFailedError);
    expect((failure as EmailSendFailedError).retryAfterSeconds).toBe(5);
  });

  it('refuses at once, without asking, while the server is known to be down', async () => {
    const { transport, availability, pass } = setUp();
    availability.reportContact();
    availability.reportUnreachable(new Error('refused'));
    pass(60_000);
    await expect(availability.assertAvailable()).rejects.toBeInstanceOf(EmailSendFailedError);
    expect(transport.verify).not.toHaveBeenCalled();
  });

  it('passes again once a probe finds the server', async () => {
    const { availability } = setUp();
    availability.reportUnreachable(new Error('refused'));
    await expect(availability.probe()).resolves.toBe(true);
    await expect(availability.assertAvailable()).resolves.toBeUndefined();
  });

  it('treats a server that takes too long to answer as available', async () => {
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
