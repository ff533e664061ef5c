import { ApiError } from 'chat-service-client';
import { api } from '../../../app/api';
import { failureText } from '../../../app/failure-text';
import { loadTexts, texts } from '../../../app/i18n/languages';
import { BASE, type Connecting, CONNECTING_KEPT_AS, WANTED_KEPT_AS } from '../../../app/session';
import { toast } from '../../../app/toasts';

const t = texts('questions');

/**
 * Leaves for a server's own sign-in, with which the person connects their account there; they come back to this page. Says it when that
 * fails. Returns whether the page is left.
 */
export async function connectWith(label: string): Promise<boolean> {
  try {
    await leaveFor(label);
    return true;
  } catch (error) {
    // The service's own sentence is for administrators, who can try the server.
    const isOfServer = error instanceof ApiError && error.code === 'MCP_SERVER_ERROR';
    toast(isOfServer ? t('connecting_failed', { label }) : failureText(error), { isFailure: true });
    return false;
  }
}

async function leaveFor(label: string): Promise<void> {
  const { authorization_url: address } = await api.connections.start({ path: { label }, body: { return_to: BASE } });
  sessionStorage.setItem(WANTED_KEPT_AS, `${location.pathname.slice(BASE.length)}${location.search}`);
  sessionStorage.setItem(CONNECTING_KEPT_AS, label);
  location.assign(address);
}

/** Says what came of it. */
export async function tell({ label, code }: Connecting): Promise<void> {
  await loadTexts('questions');
  if (code === null) toast(t('connected', { label }));
  else toast(textOfCode(code, label), { isFailure: true });
}

function textOfCode(code: string, label: string): string {
  if (code === 'CONNECTION_CANCELLED' || code === 'LOGIN_CANCELLED') return t('connecting_cancelled', { label });
  if (code === 'CONNECTION_STATE_INVALID' || code === 'LOGIN_STATE_INVALID') return t('connecting_over', { label });
  return t('connecting_failed', { label });
}
