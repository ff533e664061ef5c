// Sign-in of the command line by the OAuth device flow (RFC 8628), and the tokens of its session.
import { hostname } from 'node:os';
import { stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCredentials, withCredentials } from './credentials.mjs';

const CLIENT_ID = 'chat-service-client';

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** So that the command line itself can send messages with the session. */
const SCOPE = 'anthropic,openai,chat:read,chat:write';

const LONGEST_NAME = 64;

/** A token is refreshed this long before it expires, so that it does not expire on its way. */
const EARLY_MILLISECONDS = 60_000;

const TIMEOUT_MILLISECONDS = 30_000;

/** The service refused a request. `code` is an error code of RFC 6749 or RFC 8628. */
class OAuthError extends Error {
  constructor(code, status, description, retryAfter) {
    super(description ?? `The service returned ${status}.`);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** @throws an error if the address is not safe for tokens */
export function serviceAddress(url) {
  if (!URL.canParse(url)) throw new Error(`--url needs an address such as https://chat.example.com, not "${url}".`);
  const { protocol, hostname: host, origin, pathname } = new URL(url);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) {
    throw new Error(`Tokens are sent over https only, except on this computer. Use https in "${url}".`);
  }
  return origin + pathname.replace(/\/+$/, '');
}

export async function logIn(url, scope = SCOPE) {
  const { issuer, ...server } = await discover(url);
  const asked = await post(server.device_authorization_endpoint, {
    client_id: CLIENT_ID,
    surface: 'cli',
    device_name: [...hostname()].slice(0, LONGEST_NAME).join(''),
    scope: scope.split(',').join(' '),
  });
  stdout.write(
    `Open ${asked.verification_uri} in a browser and enter this code:\n\n    ${asked.user_code}\n\n` +
      `Waiting for your approval, at most ${Math.ceil(asked.expires_in / 60)} minutes …\n`,
  );
  const tokens = await poll(server.token_endpoint, asked);
  const before = await withCredentials((sessions) => {
    const former = sessions[url];
    sessions[url] = toSession(tokens, server);
    return former;
  });
  // The former session would stay open for a month.
  if (before) await post(before.revocation_endpoint, { token: before.refresh_token }).catch(() => undefined);
  stdout.write(`Signed in to ${issuer} as ${tokens.email}.\n`);
}

/** Ends the session and deletes its tokens. */
export async function logOut(url) {
  const isEnded = await withCredentials(async (sessions) => {
    const session = sessions[url];
    if (!session) return false;
    await post(session.revocation_endpoint, { token: session.refresh_token });
    delete sessions[url];
    return true;
  });
  stdout.write(isEnded ? `Signed out of ${url}.\n` : `You are not signed in to ${url}.\n`);
}

/** Prints the account. A refresh proves that the session is still open. */
export async function whoAmI(url) {
  const { email, scope } = await validSession(url, true);
  stdout.write(`${email}\n${url}\n${scope}\n`);
}

/** A valid access token. @throws an error if the user is signed out */
export async function accessToken(url) {
  return (await validSession(url)).access_token;
}

export async function isSignedIn(url) {
  return url in (await readCredentials());
}

/** The address of the only stored session; undefined if there is none or several. */
export async function onlyAddress() {
  const addresses = Object.keys(await readCredentials());
  return addresses.length === 1 ? addresses[0] : undefined;
}

/** Only one process refreshes at a time. The others then read the new tokens. */
async function validSession(url, isChecked = false) {
  return withCredentials(async (sessions) => {
    const session = sessions[url];
    if (!session) throw signedOut(url);
    if (!isChecked && session.expires_at - EARLY_MILLISECONDS > Date.now()) return session;
    try {
      const form = { grant_type: 'refresh_token', refresh_token: session.refresh_token };
      sessions[url] = toSession(await post(session.token_endpoint, form), session);
      return sessions[url];
    } catch (error) {
      if (error.code !== 'invalid_grant') throw error;
      delete sessions[url];
      // Returned, because the deletion must be stored.
      return null;
    }
  }).then((session) => {
    if (!session) throw signedOut(url);
    return session;
  });
}

function signedOut(url) {
  return new Error(`You are signed out of ${url}. Run: chat-service-client login --url ${url}`);
}

function toSession(tokens, { token_endpoint, revocation_endpoint }) {
  const { access_token, refresh_token, expires_in, scope, email } = tokens;
  const expires_at = Date.now() + expires_in * 1_000;
  return { email, scope, access_token, expires_at, refresh_token, token_endpoint, revocation_endpoint };
}

/** The metadata of the service (RFC 8414). */
async function discover(url) {
  const metadata = await request(`${url}/.well-known/oauth-authorization-server`);
  if (metadata.issuer !== url) {
    throw new Error(`The service calls itself ${metadata.issuer}. Use this address for --url.`);
  }
  for (const name of ['device_authorization_endpoint', 'token_endpoint', 'revocation_endpoint']) {
    serviceAddress(metadata[name]);
  }
  return metadata;
}

/** Waits for the decision of the user (RFC 8628 §3.5). */
async function poll(endpoint, { device_code, interval = 5, expires_in }) {
  const end = Date.now() + expires_in * 1_000;
  let seconds = interval;
  while (Date.now() < end) {
    await sleep(seconds * 1_000);
    try {
      return await post(endpoint, { grant_type: DEVICE_GRANT, client_id: CLIENT_ID, device_code });
    } catch (error) {
      if (!(error instanceof OAuthError)) {
        // The connection was lost. The user may still decide.
        seconds = Math.min(seconds * 2, 60);
      } else if (error.code === 'slow_down' && error.status === 400) seconds += 5;
      else if (error.status === 429 || error.status >= 500) seconds = Math.max(seconds, error.retryAfter ?? 0);
      else if (error.code === 'access_denied') throw new Error('The sign-in was denied.');
      else if (error.code !== 'authorization_pending') throw expired();
    }
  }
  throw expired();
}

function expired() {
  return new Error('The code has expired. Run login again.');
}

function post(endpoint, fields) {
  return request(endpoint, { method: 'POST', body: new URLSearchParams(fields) });
}

async function request(address, options = {}) {
  // A redirect could send tokens to another server.
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const response = await fetch(address, { ...options, redirect: 'error', signal }).catch((error) => {
    throw new Error(`${new URL(address).origin} cannot be reached (${error.cause?.message ?? error.message}).`);
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  if (answer.error === 'not_found') {
    throw new Error('The service does not allow command-line programs to sign in. Use an API key with --key.');
  }
  const retryAfter = Number(response.headers.get('retry-after')) || undefined;
  throw new OAuthError(answer.error, response.status, answer.error_description, retryAfter);
}
