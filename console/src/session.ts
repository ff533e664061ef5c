import { signal } from '@preact/signals';
import { api } from './api';

export type CurrentUser = Awaited<ReturnType<typeof api.auth.me>>;

/** Who is signed in; null for nobody, undefined until that is known. */
export const user = signal<CurrentUser | null | undefined>(undefined);

/** Addresses of the entrance; whoever is signed in has nothing to do there. */
export const ENTRANCE_PATHS: readonly string[] = ['/', '/sign-in', '/register', '/reset-password', '/setup'];

/** Where somebody wanted to go who had to sign in first. */
export const wantedPath = signal('/chat');

/** Asks again who is signed in, after a change of the account or of the session. */
export async function readUser(): Promise<void> {
  user.value = api.session.state === 'signed-in' ? await api.auth.me() : null;
}

/** Takes up the session of an earlier visit, and follows what other tabs do. */
export async function beginSession(): Promise<void> {
  await api.session.restore();
  await readUser();
  api.session.onChange(() => {
    if (api.session.state === 'signed-out') user.value = null;
    else if (!user.peek()) void readUser();
  });
}

export function isAdministrator(): boolean {
  return user.value?.user_type === 'admin';
}
