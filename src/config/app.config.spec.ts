import 'reflect-metadata';
import { LoggingConfig } from '../common/logging/logging.config';
import { AppConfig } from './app.config';
import { type ConfigurationError } from './configuration.error';
import { type EnvironmentVariables, loadConfiguration } from './load-configuration';
import { SecurityConfig } from './security.config';

function load(environment: EnvironmentVariables): AppConfig {
  return loadConfiguration([AppConfig, LoggingConfig, SecurityConfig], environment).get(AppConfig) as AppConfig;
}

function faults(environment: EnvironmentVariables): string[] {
  try {
    load(environment);
    return [];
  } catch (error) {
    return (error as ConfigurationError).faults;
  }
}

describe('AppConfig', () => {
  it.each([
    'off',
    '0',
    '99',
    'loopback',
    'loopback,10.0.0.0/8',
    'loopback, linklocal, uniquelocal',
    '192.0.2.1,2001:db8::/32',
    '10.0.0.0/255.0.0.0',
  ])('trusts the proxies %s', (proxies) => expect(load({ TRUST_PROXY: proxies }).TRUST_PROXY).toBe(proxies));

  it.each([
    'on',
    '100',
    '999.1.1.1',
    '10.0.0.0/99',
    '10.0.0.0/',
    '1.2.3',
    '10.0.0.1,',
    '10.0.0.1,3',
    'private',
    '0x10',
  ])('rejects the proxies %s', (proxies) =>
    expect(faults({ TRUST_PROXY: proxies })).toEqual([expect.stringContaining('TRUST_PROXY must be off')]),
  );

  it.each(['8080', ' 8080 '])('reads the port %j', (port) => expect(load({ PORT: port }).PORT).toBe(8080));

  it.each(['0x10', '1e3', '8080.0', '-1', '+1', '65536', 'eighty', '٣'])('refuses the port %s', (port) =>
    expect(faults({ PORT: port })).toEqual([expect.stringContaining('PORT must be a whole number')]),
  );

  it.each(['https://chat.example.com', 'http://localhost:3000/chat/'])('is reached under %s', (url) =>
    expect(load({ PUBLIC_URL: url }).PUBLIC_URL).toBe(url),
  );

  it.each([
    'chat.example.com',
    'https://',
    'https://chat.example.com:99999',
    'https://a:b@chat.example.com',
    'http://h/?a',
  ])('is not reached under %s', (url) =>
    expect(faults({ PUBLIC_URL: url })).toEqual([expect.stringContaining('PUBLIC_URL must be an http')]),
  );

  it('reports a wrong NODE_ENV once, although several classes read it', () => {
    expect(faults({ NODE_ENV: 'bogus' })).toEqual(['NODE_ENV must be development, production or test']);
  });
});

describe('SecurityConfig', () => {
  it('distinguishes a short secret from an example, and repeats neither', () => {
    expect(faults({ JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9' })).toEqual([
      'JWT_SECRET must have at least 32 bytes; make one with: openssl rand -base64 48',
    ]);
    expect(faults({ JWT_SECRET: 'secret'.repeat(6) })).toEqual([
      'JWT_SECRET is an example value; make a secret with: openssl rand -base64 48',
    ]);
    expect(faults({ JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9o' })).toEqual([]);
  });

  it('accepts only a valid, different secret as the previous one', () => {
    const JWT_SECRET = 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9o';
    for (const JWT_SECRET_PREVIOUS of ['too short', 'secret'.repeat(6), JWT_SECRET]) {
      expect(faults({ JWT_SECRET, JWT_SECRET_PREVIOUS })).toEqual([
        'JWT_SECRET_PREVIOUS must be the secret that JWT_SECRET was before: another one of at least 32 bytes',
      ]);
    }
    expect(faults({ JWT_SECRET, JWT_SECRET_PREVIOUS: 'Wq7nB2vKs9dLx4TzPf6HcRm1YjGu8EaZo3XiNt5C' })).toEqual([]);
  });
});
