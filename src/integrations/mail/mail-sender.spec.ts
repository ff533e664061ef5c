import { MailConfig } from './mail.config';
import { MailSender } from './mail-sender';

describe('MailSender', () => {
  const senderOf = (MAIL_FROM: string | null): MailSender =>
    new MailSender(Object.assign(new MailConfig(), { MAIL_FROM }));

  it.each([
    [null, null, null, 'AI Chat', 'no-reply@localhost'],
    ['hello@example.com', null, null, 'AI Chat', 'hello@example.com'],
    ['Our Chat <hello@example.com>', null, 'Acme', 'Our Chat', 'hello@example.com'],
    ['hello@example.com', null, 'Acme', 'Acme', 'hello@example.com'],
    ['Our Chat <hello@example.com>', '"Chat, Inc." <a@example.com>', 'Acme', 'Chat, Inc.', 'a@example.com'],
    ['Our Chat <hello@example.com>', 'a@example.com', 'Acme', 'Acme', 'a@example.com'],
  ])('MAIL_FROM %s, chosen %s, named %s: is %s <%s>', async (configured, mail_from, name, shown, address) => {
    const sender = senderOf(configured);
    sender.follow(() => Promise.resolve({ mail_from, name }));
    expect(await sender.current()).toEqual({ name: shown, address });
  });

  it('is the configured one unless one is chosen, and is looked up for each mail', async () => {
    const sender = senderOf('hello@example.com');
    expect(await sender.current()).toEqual({ name: 'AI Chat', address: 'hello@example.com' });
    let mail_from = 'first@example.com';
    sender.follow(() => Promise.resolve({ mail_from, name: null }));
    expect((await sender.current()).address).toBe('first@example.com');
    mail_from = 'second@example.com';
    expect((await sender.current()).address).toBe('second@example.com');
  });
});
