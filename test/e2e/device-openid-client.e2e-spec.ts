import { createUser } from '../support/accounts';
import { DeviceSignIn } from '../support/device-sign-in';
import { call } from '../support/http';
import { useTestApp } from '../support/use-app';

describe('a third-party OAuth client', () => {
  const app = useTestApp();

  it.each(['', '/anthropic'])('signs in, refreshes and revokes at the issuer %p', async (base) => {
    const client = await import('openid-client');
    const user = await createUser(app);
    const config = await client.discovery(new URL(app.origin + base), 'a-client', undefined, client.None(), {
      algorithm: 'oauth2',
      execute: [client.allowInsecureRequests],
    });
    const started = await client.initiateDeviceAuthorization(config, { scope: 'anthropic' });
    const polled = client.pollDeviceAuthorizationGrant(config, { ...started, interval: 0.2 });
    const browser = new DeviceSignIn(app);
    await browser.lookUp(user.token, started.user_code);
    await browser.decide(user.token, started.user_code);
    const tokens = await polled;
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'anthropic', email: user.email });
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    await client.tokenRevocation(config, next.refresh_token ?? '');
    await expect(client.refreshTokenGrant(config, next.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect((await call(`${app.url}/chat`, { token: next.access_token })).status).toBe(401);
  });
});
