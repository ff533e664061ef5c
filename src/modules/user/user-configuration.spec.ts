import type { Type } from '@nestjs/common';
import { type ConfigurationError } from '../../config/configuration.error';
import { type EnvironmentVariables, loadConfiguration } from '../../config/load-configuration';
import { FirstAdministratorConfig } from './management/first-administrator.config';
import { MembershipConfig } from './membership/membership.config';

function load<Configuration extends object>(
  type: Type<Configuration>,
  environment: EnvironmentVariables,
): Configuration {
  return loadConfiguration([type], environment).get(type) as Configuration;
}

function faults(type: Type<object>, environment: EnvironmentVariables): string[] {
  try {
    load(type, environment);
    return [];
  } catch (error) {
    return (error as ConfigurationError).faults;
  }
}

describe('MembershipConfig', () => {
  it('trusts upgrades outside production only', () => {
    expect(load(MembershipConfig, {}).upgradeMode).toBe('open');
    expect(load(MembershipConfig, { NODE_ENV: 'production' }).upgradeMode).toBe('verified');
    expect(load(MembershipConfig, { NODE_ENV: 'production', UPGRADE_MODE: 'open' }).upgradeMode).toBe('open');
  });

  it('names the invalid setting', () => {
    expect(faults(MembershipConfig, { UPGRADE_MODE: 'free', PAYMENT_TOKEN_SECRET: 'short' })).toEqual([
      expect.stringContaining('UPGRADE_MODE'),
      expect.stringContaining('PAYMENT_TOKEN_SECRET'),
    ]);
  });
});

describe('FirstAdministratorConfig', () => {
  const ADMIN_EMAIL = 'root@example.com';
  const ADMIN_PASSWORD = 'the operator chose this';

  it('accepts both or neither', () => {
    expect(faults(FirstAdministratorConfig, {})).toEqual([]);
    expect(faults(FirstAdministratorConfig, { ADMIN_EMAIL, ADMIN_PASSWORD })).toEqual([]);
    expect(faults(FirstAdministratorConfig, { ADMIN_EMAIL })).toEqual([expect.stringContaining('both or neither')]);
    expect(faults(FirstAdministratorConfig, { ADMIN_PASSWORD })).toEqual([expect.stringContaining('both or neither')]);
  });

  it.each(['short', 'password123', 'x'.repeat(129)])('refuses the password %s without repeating it', (password) => {
    const found = faults(FirstAdministratorConfig, { ADMIN_EMAIL, ADMIN_PASSWORD: password });
    expect(found).toEqual([expect.stringContaining('ADMIN_PASSWORD')]);
    expect(found.join()).not.toContain(password);
  });

  it('refuses the address as the password, in any case', () => {
    expect(faults(FirstAdministratorConfig, { ADMIN_EMAIL, ADMIN_PASSWORD: 'Root@Example.com' })).toEqual([
      'ADMIN_PASSWORD must not be ADMIN_EMAIL',
    ]);
  });

  it('refuses an invalid address', () => {
    const found = faults(FirstAdministratorConfig, { ADMIN_EMAIL: 'root', ADMIN_PASSWORD });
    expect(found).toEqual([expect.stringContaining('ADMIN_EMAIL')]);
  });
});
