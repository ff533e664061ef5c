import { ApiError } from 'chat-service-client';
import { api } from '../../../app/api';
import { failureText } from '../../../app/failure-text';
import { loadTexts, texts } from '../../../app/i18n/languages';
import { BASE, type Connecting, CONNECTING_KEPT_AS, WANTED_KEPT_AS } from '../../../app/session';
import { toast } from '../../../app/toasts';

const t = texts('questions');

/**
 * Redirects to an MCP server's sign-in, where the user connects their account. The server redirects back to this page.
 * Shows a failure, and returns whether the redirect has started.
 */
export async function connectWith(label: string): Promise<boolean> {
  try {
    await leaveFor(label);
    return true;
  } catch (error) {
    // The service's message is for administrators, who can test the server.
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

/** Shows the result. */
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
