import { join } from 'node:path';
import { call } from '../http';
import { freePort } from './free-port';
import { GuardedProcess } from './guarded-process';

/** `oidc-provider` in another process, with one client: `chat`. */
export interface OidcServer {
  issuer: string;
  /** As OIDC_ALLOWED_HOSTS names it. */
  host: string;
  /** Sets the user at the browser. */
  setPerson(claims: Record<string, unknown>): Promise<void>;
  /** Ends a session of the provider, and notifies the service at an address. */
  endSession(sub: string, sid: string, uri: string): Promise<void>;
  close(): Promise<void>;
}

/** @param redirectUri the service's callback address */
export async function startOidcServer(redirectUri: string): Promise<OidcServer> {
  const guarded = await GuardedProcess.open('oidc-provider');
  const port = await freePort();
  await guarded.start({
    command: process.execPath,
    arguments: [join(__dirname, 'oidc-provider.mjs'), String(port), redirectUri],
    ready: 'listening',
  });
  const issuer = `http://127.0.0.1:${port}`;
  const tell = async (method: string, path: string, body: object): Promise<void> => {
    const { status, text } = await call(`${issuer}${path}`, { method, body });
    if (status !== 200) {
      throw new Error(`oidc-provider answered ${status}: ${text}`);
    }
  };
  return {
    issuer,
    host: `127.0.0.1:${port}`,
    setPerson: (claims) => tell('PUT', '/person', claims),
    endSession: (sub, sid, uri) => tell('POST', '/logout', { sub, sid, uri }),
    close: () => guarded.close(),
  };
}
