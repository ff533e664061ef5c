import type { JSX } from 'preact';
import { failureText } from '../app/failure-text';
import { texts } from '../app/i18n/languages';
import { Returned } from '../app/session';
import { visit } from '../app/visit';

const t = texts('shell');

/** Why the page came back from a provider without what was wanted. */
export function ReturnedNotice(): JSX.Element | null {
  const { code, failure } = visit().part(Returned);
  if (code === undefined && failure === undefined) return null;
  return (
    <p class="notice danger" role="alert">
      {failure === undefined ? textOfCode(code) : failureText(failure)}
    </p>
  );
}

/** What an address tells as a code; failures of requests have sentences of the service. */
function textOfCode(code: string | undefined): string {
  if (code === 'LOGIN_CANCELLED') return t('login_cancelled');
  if (code === 'LOGIN_STATE_INVALID') return t('login_state_invalid');
  return code === 'IDENTITY_PROVIDER_ERROR' ? t('identity_provider_error') : t('sign_in_failed');
}
