import 'reflect-metadata';
import { ConfigurationError } from '../../../config/configuration.error';
import { loadConfiguration } from '../../../config/load-configuration';
import { ActingConfig } from './acting.config';

const load = (seconds: string) =>
  loadConfiguration([ActingConfig], { ACTION_TTL: seconds }).get(ActingConfig) as ActingConfig;

describe('ActingConfig', () => {
  it.each([1, 31_536_000])('accepts an expiry of %i seconds', (seconds) =>
    expect(load(String(seconds)).ACTION_TTL).toBe(seconds),
  );

  it.each(['0', '31536001', '1.5'])('rejects an expiry of %s seconds', (seconds) =>
    expect(() => load(seconds)).toThrow(ConfigurationError),
  );
});
