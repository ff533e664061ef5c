import { randomUUID } from 'node:crypto';
import type { IdentityProviderDto } from '../../src/modules/identity/administration/provider.dto';
import type { UserDto } from '../../src/modules/user/account/user.dto';
import { AdminClient } from './admin-client';
import { call } from './http';
import { FakeIssuer, type TestClaims } from './servers/fake-issuer';
import { SignInBrowser } from './sign-in-browser';
import { startTestApp, type TestApp } from './test-app';

export const CLIENT_SECRET = 'a-secret:of the%provider';

/** The service with the tests' own provider, whose slug is `company`. */
export interface SignInApp extends TestApp {
  issuer: FakeIssuer;
  admin: AdminClient;
  provider: IdentityProviderDto;
  /** Changes settings of the provider. */
  configure(changes: object): Promise<void>;
  /** Sets a new user at the browser; returns the claims. */
  newPerson(claims?: TestClaims): { sub: string; email: string };
  /** The user of an access token. */
  me(token: string): Promise<UserDto>;
  /** Signs in the user at the browser, which must succeed. */
  signIn(): Promise<{ token: string; refreshToken: string; user: UserDto; browser: SignInBrowser }>;
}

/** Resets the state before every test. */
export const PROVIDER_SETTINGS = {
  jit: 'all',
  email_trusted: false,
  allowed_domains: [],
  required_groups: [],
  mappings: [],
  claim_source: 'id_token',
  scim_match: 'sub',
  groups_overage: 'refuse',
  logout: 'none',
  session_max_age: null,
  key_days: null,
  accept_tokens: null,
  is_active: true,
};

export async function startSignInApp(overrides: Record<string, string> = {}): Promise<SignInApp> {
  const issuer = await FakeIssuer.start();
  const app = await startTestApp({
    OIDC_ALLOWED_HOSTS: issuer.host,
    PUBLIC_URL: 'http://chat.example.com',
    ...overrides,
  });
  const admin = await AdminClient.of(app);
  const { status, text, body } = await admin.post<IdentityProviderDto>('/admin/identity_providers', {
    slug: 'company',
    name: 'Example Inc.',
    issuer: issuer.issuer,
    client_id: 'chat',
    client_secret: CLIENT_SECRET,
    jit: 'all',
  });
  if (status !== 201) {
    throw new Error(`The provider was not made: ${status} ${text}`);
  }
  const me = (token: string): Promise<UserDto> =>
    call<UserDto>(`${app.url}/auth/me`, { token }).then((got) => got.body);
  return {
    ...app,
    issuer,
    admin,
    provider: body.data,
    me,
    configure: async (changes) => {
      const answer = await admin.put(`/admin/identity_providers/${body.data.id}`, changes);
      if (answer.status !== 200) {
        throw new Error(`The provider was not changed: ${answer.status} ${answer.text}`);
      }
    },
    newPerson: (claims = {}) => {
      const sub = randomUUID();
      const person = { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ada Lovelace', ...claims };
      issuer.person = person;
      return person;
    },
    signIn: async () => {
      const browser = new SignInBrowser(app);
      const answer = await browser.signIn('company');
      if (answer.status !== 200) {
        throw new Error(`The sign-in answered ${answer.status}: ${answer.text}`);
      }
      const { access_token: token, refresh_token: refreshToken } = answer.body;
      return { token, refreshToken, user: await me(token), browser };
    },
    close: async () => {
      await app.close();
      await issuer.close();
    },
  };
}
