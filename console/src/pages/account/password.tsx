import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { toast } from '../../app/toasts';
import { Form, textOf } from '../../components/form/form';
import { PasswordField } from '../../components/form/password-field';
import { Page } from '../../components/page/page';
import { Identities } from './identities';
import { PasswordManagerName, withPassword } from './password-proof';

const t = texts('account');

export function Password(): JSX.Element {
  /** Used as a key: a new number clears the form. */
  const [round, setRound] = useState(0);
  const change = async (entries: FormData): Promise<void> => {
    const { message } = await withPassword('current_password', () =>
      api.account.changePassword({
        body: {
          current_password: textOf(entries, 'current_password'),
          new_password: textOf(entries, 'new_password'),
        },
      }),
    );
    toast(message);
    setRound(round + 1);
  };
  return (
    <Page title={t('password')}>
      <p class="soft">{t('password_text')}</p>
      <div class="card account-form">
        <Form key={round} action={t('password_action')} onSubmit={change}>
          <PasswordManagerName />
          <PasswordField label={t('current_password')} name="current_password" />
          <PasswordField label={t('new_password')} name="new_password" hint={t('password_hint')} isNew />
        </Form>
      </div>
      <Identities />
    </Page>
  );
}
