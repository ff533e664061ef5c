import { isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { TextField, textOf } from '../../components/form/form';
import { PasswordField } from '../../components/form/password-field';
import { Page } from '../../components/page/page';
import { Empty } from '../../components/states';
import { CodeForm, emailOf } from './code-form';
import { Terms, Welcome } from './welcome';

const t = texts('auth');

/** Sign-up: a code by email, then username and password. */
export function Register(): JSX.Element {
  const [isClosed, setIsClosed] = useState(false);
  const invitation = useSearchParams()[0].get('invitation') ?? undefined;
  const noteRefusal = (error: unknown): void => {
    if (isApiError(error, 'REGISTRATION_DISABLED')) setIsClosed(true);
  };
  const register = async (entries: FormData): Promise<void> => {
    try {
      await api.session.register({
        email: emailOf(entries),
        code: textOf(entries, 'code'),
        username: textOf(entries, 'username'),
        password: textOf(entries, 'password'),
        invitation,
      });
    } catch (error) {
      noteRefusal(error);
      throw error;
    }
  };
  if (isClosed) return <Closed />;
  return (
    <Page title={t('register')} narrow>
      <Welcome />
      <div class="card stack">
        <CodeForm
          purpose="register"
          invitation={invitation}
          action={t('register')}
          onSubmit={register}
          onRefusal={noteRefusal}
        >
          <UsernameField />
          <PasswordField label={t('password')} name="password" hint={t('password_hint')} isNew />
        </CodeForm>
      </div>
      <ul class="ways">
        <li>
          {t('have_account')} <Link href="/sign-in">{t('sign_in')}</Link>
        </li>
        <Terms />
      </ul>
    </Page>
  );
}

/** A field for a new username. */
export function UsernameField(): JSX.Element {
  return (
    <TextField
      label={t('username')}
      name="username"
      hint={t('username_hint')}
      autocomplete="nickname"
      autocapitalize="none"
      spellcheck={false}
      minLength={2}
      maxLength={32}
      required
    />
  );
}

function Closed(): JSX.Element {
  return (
    <Page title={t('registration_closed')} narrow>
      <Empty icon="info">
        <p>{t('registration_closed_text')}</p>
        <Link class="button" href="/sign-in">
          {t('sign_in')}
        </Link>
      </Empty>
    </Page>
  );
}
