import { ValidateIf } from 'class-validator';
import { HostList } from '../../common/network/host-list.decorator';
import { isReturnAddress } from '../../common/redirects/return-addresses';
import { CommaSeparated, Rule } from '../../config/environment-rules';
import { isIssuer, servesAllTenants } from './providers/provider-rules';

const LONGEST_VALUE = 255;

const REQUIRED = ['OIDC_ISSUER', 'OIDC_CLIENT_ID'] as const;

/** The first identity provider, its allowed hosts, and the return addresses of sign-ins. */
export class IdentityConfig {
  /** The issuer, exactly as in the provider's discovery document. The provider has the slug `company`. */
  @ValidateIf((config: IdentityConfig) => config.OIDC_ISSUER !== null)
  @Rule<IdentityConfig>(
    ({ OIDC_ISSUER }) => isIssuer(OIDC_ISSUER) && isShort(OIDC_ISSUER),
    'OIDC_ISSUER must be an http or https address without query, fragment and password, of up to 255 characters',
  )
  @Rule<IdentityConfig>(
    ({ OIDC_ISSUER }) => !isIssuer(OIDC_ISSUER) || !servesAllTenants(OIDC_ISSUER),
    'OIDC_ISSUER must name your tenant: with common, organizations or consumers everybody in the world could sign in',
  )
  @Rule<IdentityConfig>(
    (config) => REQUIRED.every((name) => (config[name] === null) === (config.OIDC_ISSUER === null)),
    'OIDC_ISSUER and OIDC_CLIENT_ID must be given both or neither',
  )
  OIDC_ISSUER: string | null = null;

  /** The client id of this service at the provider. */
  @Rule<IdentityConfig>(
    ({ OIDC_CLIENT_ID }) => isShort(OIDC_CLIENT_ID),
    'OIDC_CLIENT_ID must have up to 255 characters',
  )
  @Rule<IdentityConfig>(
    (config) => REQUIRED.every((name) => (config[name] === null) === (config.OIDC_CLIENT_ID === null)),
    'OIDC_ISSUER and OIDC_CLIENT_ID must be given both or neither',
  )
  OIDC_CLIENT_ID: string | null = null;

  /** If it is not set, this service is a public client. */
  OIDC_CLIENT_SECRET: string | null = null;

  /** Label of the sign-in button. */
  @Rule<IdentityConfig>(
    ({ OIDC_NAME }) => OIDC_NAME.length > 0 && OIDC_NAME.length <= 100,
    'OIDC_NAME must have 1 to 100 characters',
  )
  OIDC_NAME = 'Company';

  /** Providers inside the installation's network, in the forms of WEBHOOK_ALLOWED_HOSTS. Default: public hosts only. */
  @HostList()
  OIDC_ALLOWED_HOSTS: string[] | null = null;

  /** Your own pages that a sign-in may return to, separated by commas, in addition to /console. Compared exactly. */
  @CommaSeparated()
  @Rule<IdentityConfig>(
    ({ OIDC_RETURN_URLS }) => OIDC_RETURN_URLS === null || OIDC_RETURN_URLS.every(isReturnAddress),
    'OIDC_RETURN_URLS must be http or https addresses without query and fragment, separated by commas',
  )
  OIDC_RETURN_URLS: string[] | null = null;
}

function isShort(value: string | null): boolean {
  return value === null || value.length <= LONGEST_VALUE;
}
