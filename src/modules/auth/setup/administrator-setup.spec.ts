import type { Request } from 'express';
import { fake } from '../../../../test/support/fake';
import { AppConfig } from '../../../config/app.config';
import { isForOneMachine, isFromThisMachine } from './administrator-setup';

const requestFrom = (remoteAddress: string | undefined, headers: Record<string, string>): Request =>
  fake<Request>({ socket: { remoteAddress }, headers: { host: 'localhost:3000', ...headers } });

describe('a request from the machine of the service', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('comes from %s', (peer) => {
    expect(isFromThisMachine(requestFrom(peer, {}))).toBe(true);
  });

  it.each([
    '172.17.0.1',
    '192.168.1.7',
    '10.0.0.2',
    '203.0.113.7',
    '::ffff:172.17.0.1',
    'fe80::1',
    '0.0.0.0',
    '',
    undefined,
  ])('does not come from %s', (peer) => {
    expect(isFromThisMachine(requestFrom(peer, {}))).toBe(false);
  });

  it.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])(
    'has no proxy header: %s',
    (name) => {
      for (const value of ['127.0.0.1', '::1', 'for=127.0.0.1', '']) {
        expect(isFromThisMachine(requestFrom('127.0.0.1', { [name]: value }))).toBe(false);
      }
    },
  );

  it.each(['localhost', 'localhost:3000', 'LOCALHOST', '127.0.0.1:3000', '127.0.0.1', '[::1]:3000', '[::1]'])(
    'uses a name of the machine: %s',
    (host) => {
      expect(isFromThisMachine(requestFrom('127.0.0.1', { host }))).toBe(true);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:3000',
    'localhost@evil.example',
    'evil.example#localhost',
    'evil.example/localhost',
    '127.0.0.1.evil.example',
    '192.168.1.7:3000',
    '[::2]',
    '0.0.0.0:3000',
    'local host',
    '',
  ])('does not use another name: “%s”', (host) => {
    expect(isFromThisMachine(requestFrom('127.0.0.1', { host }))).toBe(false);
  });

  it.each([
    [{ 'sec-fetch-site': 'same-origin', origin: 'http://localhost:3000' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-site', origin: 'http://localhost:5173' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ origin: 'http://localhost:3000' }, true],
    [{ origin: 'http://localhost:8080' }, false],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'null' }, false],
  ])('does not come from another site: %j', (headers, isOwn) => {
    expect(isFromThisMachine(requestFrom('127.0.0.1', headers as Record<string, string>))).toBe(isOwn);
  });
});

describe('a service for one machine', () => {
  const given = (settings: Partial<AppConfig>): boolean => isForOneMachine(Object.assign(new AppConfig(), settings));

  it('is assumed in development without a proxy', () => {
    expect(given({})).toBe(true);
    expect(given({ PUBLIC_URL: 'http://localhost:3000' })).toBe(true);
    expect(given({ PUBLIC_URL: 'http://127.0.0.1:3000/' })).toBe(true);
    expect(given({ PUBLIC_URL: 'http://[::1]:3000' })).toBe(true);
  });

  it('is not assumed if other machines can reach it', () => {
    expect(given({ NODE_ENV: 'production' })).toBe(false);
    expect(given({ TRUST_PROXY: '1' })).toBe(false);
    expect(given({ TRUST_PROXY: 'loopback' })).toBe(false);
    expect(given({ PUBLIC_URL: 'https://chat.example.com' })).toBe(false);
    expect(given({ PUBLIC_URL: 'http://localhost.example.com' })).toBe(false);
  });
});
