import { type ConfigurationError } from '../../config/configuration.error';
import { type EnvironmentVariables, loadConfiguration } from '../../config/load-configuration';
import { IdentityConfig } from './identity.config';

function faults(environment: EnvironmentVariables): string[] {
  try {
    loadConfiguration([IdentityConfig], environment);
    return [];
  } catch (error) {
    return (error as ConfigurationError).faults;
  }
}

describe('IdentityConfig', () => {
  const OIDC_CLIENT_ID = 'chat';

  it.each([
    'https://login.example.com',
    'http://keycloak:8080/realms/chat',
    'https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0',
    'https://accounts.google.com',
  ])('accepts the issuer %s', (OIDC_ISSUER) => {
    expect(faults({ OIDC_ISSUER, OIDC_CLIENT_ID })).toEqual([]);
  });

  it.each([
    'no address',
    'ftp://login.example.com',
    'https://a.example/?x=1#y',
    'https://a:b@login.example.com',
    `https://login.example.com/${'x'.repeat(255)}`,
  ])('refuses the issuer %s, with one message', (OIDC_ISSUER) => {
    expect(faults({ OIDC_ISSUER, OIDC_CLIENT_ID })).toEqual([expect.stringMatching(/^OIDC_ISSUER must be .*address/)]);
  });

  it.each([
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/organizations/v2.0',
    'https://login.microsoftonline.com/%7Btenantid%7D/v2.0',
  ])('refuses the issuer %s, where all visitors share identities', (OIDC_ISSUER) => {
    expect(faults({ OIDC_ISSUER, OIDC_CLIENT_ID })).toEqual([expect.stringMatching(/tenant/)]);
  });

  it('accepts issuer and client both or neither, and reports all errors at once', () => {
    expect(faults({})).toEqual([]);
    expect(faults({ OIDC_CLIENT_ID })).toEqual([expect.stringContaining('both or neither')]);
    const environment = { OIDC_ISSUER: 'https://login.microsoftonline.com/common/v2.0', OIDC_NAME: 'x'.repeat(101) };
    expect(faults({ ...environment, OIDC_CLIENT_ID })).toEqual([
      expect.stringMatching(/tenant/),
      expect.stringContaining('OIDC_NAME'),
    ]);
  });
});
