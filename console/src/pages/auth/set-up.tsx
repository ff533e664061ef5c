import { isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { visit } from '../../app/visit';
import { Button } from '../../components/button';
import { Form, textOf } from '../../components/form/form';
import { PasswordField } from '../../components/form/password-field';
import { Page } from '../../components/page/page';
import { emailOf } from './code-form';
import { EmailField } from './email-field';
import { UsernameField } from './register';

const t = texts('auth');

/**
 * The one-time token from the link in the service's log. It is removed from the address bar, so that users do not copy
 * it.
 */
export class SetUpToken {
  readonly text = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;

  constructor() {
    if (this.text !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  }
}

interface SetUpProps {
  token: string | undefined;
  /** Whether setup works without a token on the service's own machine. */
  isAllowedHere: boolean;
  onCheckAgain: () => void;
}

/** Creates the first administrator of a new installation. */
export function SetUp({ token, isAllowedHere, onCheckAgain }: SetUpProps): JSX.Element {
  const create = async (entries: FormData): Promise<void> => {
    try {
      // This page shows the next setup steps.
      visit().wantedPath = '/admin/overview';
      await api.session.createAdministrator({
        email: emailOf(entries),
        username: textOf(entries, 'username'),
        password: textOf(entries, 'password'),
        token,
      });
    } catch (error) {
      // Another administrator was created first. The sign-in page explains that.
      if (isApiError(error, 'SETUP_COMPLETE')) onCheckAgain();
      throw error;
    }
  };
  return (
    <Page title={t('set_up')} narrow>
      <p>{t('set_up_text')}</p>
      {isAllowedHere || token !== undefined ? (
        <div class="card">
          <Form action={t('set_up_action')} onSubmit={create}>
            <EmailField />
            <UsernameField />
            <PasswordField label={t('password')} name="password" hint={t('password_hint')} isNew />
          </Form>
        </div>
      ) : (
        <div class="notice stack">
          <p>{t('set_up_elsewhere')}</p>
          <ul>
            <li>{t('set_up_link')}</li>
            <li>{t('set_up_machine')}</li>
            <li>{t('set_up_environment')}</li>
          </ul>
          <div>
            <Button icon="refresh" onClick={onCheckAgain}>
              {t('check_again')}
            </Button>
          </div>
        </div>
      )}
    </Page>
  );
}
