import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { toast } from '../../app/toasts';
import { textOf } from '../../components/form/form';
import { PasswordField } from '../../components/form/password-field';
import { Page } from '../../components/page/page';
import { CodeForm, emailOf } from './code-form';

const t = texts('auth');

/** Password reset: a code by email, then the new password. The user is signed in at once. */
export function ResetPassword(): JSX.Element {
  const reset = async (entries: FormData): Promise<void> => {
    const email = emailOf(entries);
    const password = textOf(entries, 'new_password');
    const { message } = await api.auth.resetPassword({
      body: { email, code: textOf(entries, 'code'), new_password: password },
    });
    try {
      await api.session.logIn({ email, password });
    } catch (error) {
      // The password has been changed, so the service would refuse a second attempt with the same code.
      toast(message);
      throw error;
    }
  };
  return (
    <Page title={t('reset_password')} narrow>
      <p class="soft">{t('reset_text')}</p>
      <div class="card stack">
        <CodeForm purpose="reset_password" action={t('reset_action')} onSubmit={reset}>
          <PasswordField label={t('new_password')} name="new_password" hint={t('password_hint')} isNew />
        </CodeForm>
      </div>
      <ul class="ways">
        <li>
          {t('remembered')} <Link href="/sign-in">{t('sign_in')}</Link>
        </li>
      </ul>
    </Page>
  );
}
