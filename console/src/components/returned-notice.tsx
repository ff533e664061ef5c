import type { JSX } from 'preact';
import { failureText } from '../app/failure-text';
import { texts } from '../app/i18n/languages';
import { Returned } from '../app/session';
import { visit } from '../app/visit';

const t = texts('shell');

/** Explains why an identity provider redirected back without a sign-in or a link. */
export function ReturnedNotice(): JSX.Element | null {
  const { code, failure } = visit().part(Returned);
  if (code === undefined && failure === undefined) return null;
  return (
    <p class="notice danger" role="alert">
      {failure === undefined ? textOfCode(code) : failureText(failure)}
    </p>
  );
}

/** The message for an error code in the address. Failed requests include a message from the service. */
function textOfCode(code: string | undefined): string {
  if (code === 'LOGIN_CANCELLED') return t('login_cancelled');
  if (code === 'LOGIN_STATE_INVALID') return t('login_state_invalid');
  return code === 'IDENTITY_PROVIDER_ERROR' ? t('identity_provider_error') : t('sign_in_failed');
}
