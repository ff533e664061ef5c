import { type EnvironmentVariables, loadConfiguration } from '../../config/load-configuration';
import { MailConfig } from './mail.config';

function load(environment: EnvironmentVariables): MailConfig {
  return loadConfiguration([MailConfig], environment).get(MailConfig) as MailConfig;
}

describe('MailConfig', () => {
  it('needs no settings in development', () => {
    const config = load({});
    expect(config.SMTP_URL).toBeNull();
    expect(config.sender).toEqual({ name: '', address: 'no-reply@localhost' });
  });

  it('names both settings that are missing in production', () => {
    expect(() => load({ NODE_ENV: 'production' })).toThrow(/SMTP_URL must .*production needs it[^]*MAIL_FROM must/);
  });

  it.each([
    ['Our Chat <hello@chat.example.com>', 'Our Chat', 'hello@chat.example.com'],
    ['"Chat, Inc." <hello@example.com>', 'Chat, Inc.', 'hello@example.com'],
    ['hello@example.com', '', 'hello@example.com'],
  ])('reads the sender %s', (text, name, address) => {
    expect(load({ MAIL_FROM: text }).sender).toEqual({ name, address });
  });

  it.each(['nobody', 'a@example.com, b@example.com', 'X <a@example.com>\r\nBcc: b@example.com', '<>'])(
    'refuses the sender %j',
    (text) => {
      expect(() => load({ MAIL_FROM: text })).toThrow('MAIL_FROM must be an address');
    },
  );

  it.each(['smtp://localhost:1025', 'smtps://user:p%40ss@mail.example.com:465', 'SMTP://mail?requireTLS=true'])(
    'accepts the server %s',
    (url) => {
      expect(load({ SMTP_URL: url }).SMTP_URL).toBe(url);
    },
  );

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://user:p@ss/word@host',
    'smtp://u:p#w@host',
    'smtp://u:12?w@host',
    'smtp://u:p%zz@host',
    'smtp://u:p@host:99999',
  ])('refuses the server %s', (url) => {
    expect(() => load({ SMTP_URL: url })).toThrow('SMTP_URL must be smtp://');
  });

  it('does not repeat the password in its error', () => {
    let complaint = '';
    try {
      load({ SMTP_URL: 'smtp://user:s3cret/x@host' });
    } catch (error) {
      complaint = String(error);
    }
    expect(complaint).toContain('SMTP_URL');
    expect(complaint).not.toContain('s3cret');
  });
});
