import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

/*
 * `oidc-provider` in its own process: node oidc-provider.mjs <port> <redirect uri>. The user in PUT /person is at the
 * browser, without prompts. POST /logout {sub, sid, uri} notifies the service at an address that a session has ended.
 */

const [port, redirectUri] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
let person = { sub: 'nobody' };
const people = new Map();

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'chat',
      client_secret: 'a-secret-of-the-provider',
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: ['http://chat.example.com/console'],
      backchannel_logout_uri: 'http://127.0.0.1:1/',
      backchannel_logout_session_required: true,
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'first' }] },
  cookies: { keys: ['a key of the tests'] },
  conformIdTokenClaims: false,
  claims: { openid: ['sub', 'sid'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
  features: {
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    rpInitiatedLogout: { enabled: true },
  },
  // Its own client refuses addresses on this machine.
  fetch: (url, { method, headers, body }) => fetch(url, { method, headers, body }),
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
  async loadExistingGrant({ oidc }) {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}');
}

const handle = provider.callback();
const server = createServer(async (request, response) => {
  if (request.method === 'PUT' && request.url === '/person') {
    person = await bodyOf(request);
    people.set(person.sub, person);
    response.end();
  } else if (request.method === 'POST' && request.url === '/logout') {
    const { sub, sid, uri } = await bodyOf(request);
    const client = await provider.Client.find('chat');
    client.backchannelLogoutUri = uri;
    await client.backchannelLogout(sub, sid).then(
      () => response.end(),
      (error) => response.writeHead(500).end(String(error)),
    );
  } else if (request.url.startsWith('/interaction/')) {
    await provider.interactionFinished(request, response, { login: { accountId: person.sub } });
  } else {
    handle(request, response);
  }
});
server.listen(Number(port), '127.0.0.1', () => console.log('listening'));
