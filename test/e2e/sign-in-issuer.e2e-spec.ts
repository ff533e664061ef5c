import { ProviderClient } from '../../src/modules/identity/protocol/provider-client';
import type { ErrorAnswer } from '../support/http';
import { CLIENT_SECRET, PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { SignInBrowser } from '../support/sign-in-browser';

describe('a provider whose issuer changes', () => {
  let app: SignInApp;

  beforeAll(async () => {
    app = await startSignInApp();
  });

  afterAll(() => app.close());

  it('opens nothing for users of the former one', async () => {
    await app.configure(PROVIDER_SETTINGS);
    const { issuer } = app.issuer;
    const moveTo = (to: string) => app.configure({ issuer: to, client_secret: CLIENT_SECRET });
    app.newPerson();
    const browser = new SignInBrowser(app);
    const code = (await browser.returnFrom('company')).get('login_code') ?? '';
    for (const end of ['/', '']) await moveTo(issuer + end);
    expect((await browser.exchange<ErrorAnswer>(code)).body.error.code).toBe('LOGIN_CODE_INVALID');
    // Nor for a user who returns during the change.
    const client = app.app.get(ProviderClient);
    jest.spyOn(client, 'redeem').mockImplementationOnce(async (...given) => {
      const delivered = await client.redeem(...given);
      await moveTo(`${issuer}/`);
      return delivered;
    });
    const late = (await browser.returnFrom('company')).get('login_code') ?? '';
    expect((await browser.exchange<ErrorAnswer>(late)).body.error.code).toBe('LOGIN_CODE_INVALID');
    await moveTo(issuer);
  });
});
