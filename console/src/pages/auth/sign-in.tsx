import { isApiError, type SignInProvidersDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { Button } from '../../components/button';
import { Form, textOf } from '../../components/form/form';
import { PasswordField } from '../../components/form/password-field';
import { Page } from '../../components/page/page';
import { ReturnedNotice } from '../../components/returned-notice';
import { CodeForm, emailOf } from './code-form';
import { EmailField } from './email-field';
import { linkAsked, LinkIdentity, Providers } from './providers';
import { Terms, Welcome } from './welcome';

const t = texts('auth');

interface SignInProps {
  ways: SignInProvidersDto;
  notice?: string;
}

/** Sign-in with a provider, a password, or a code by email. */
export function SignIn({ ways: { password_login: passwords, providers }, notice }: SignInProps): JSX.Element {
  const [isByCode, setIsByCode] = useState(false);
  const link = linkAsked();
  if (link) return <LinkIdentity link={link.details} text={link.message} />;
  return (
    // A new key moves the focus to the heading again.
    <Page key={String(isByCode)} title={isByCode ? t('sign_in_by_code') : t('sign_in')} narrow>
      {notice && <p class="notice">{notice}</p>}
      <ReturnedNotice />
      <Welcome />
      <div class="card stack">
        <Providers providers={providers} isOnlyWay={passwords === 'off'} />
        {passwords !== 'off' && (
          <>
            {isByCode ? <ByCode /> : <ByPassword goByCode={() => setIsByCode(true)} />}
            <Button kind="quiet" onClick={() => setIsByCode(!isByCode)}>
              {isByCode ? t('with_password') : t('with_code')}
            </Button>
          </>
        )}
      </div>
      <ul class="ways">
        {passwords !== 'off' && (
          <li>
            <Link href="/reset-password">{t('forgot')}</Link>
          </li>
        )}
        {passwords === 'everyone' && (
          <li>
            {t('no_account')} <Link href="/register">{t('register')}</Link>
          </li>
        )}
        <Terms />
      </ul>
    </Page>
  );
}

function ByPassword({ goByCode }: { goByCode: () => void }): JSX.Element {
  const [isLocked, setIsLocked] = useState(false);
  const signIn = async (entries: FormData): Promise<void> => {
    try {
      await api.session.logIn({ email: emailOf(entries), password: textOf(entries, 'password') });
    } catch (error) {
      setIsLocked(isApiError(error, 'ACCOUNT_LOCKED'));
      throw error;
    }
  };
  return (
    <>
      <Form action={t('sign_in')} onSubmit={signIn}>
        <EmailField />
        <PasswordField label={t('password')} name="password" />
      </Form>
      {isLocked && (
        <div class="notice stack">
          <p>{t('locked_hint')}</p>
          <Button onClick={goByCode}>{t('with_code')}</Button>
        </div>
      )}
    </>
  );
}

function ByCode(): JSX.Element {
  const signIn = (entries: FormData): Promise<void> =>
    api.session.logIn({ email: emailOf(entries), verification_code: textOf(entries, 'code') });
  return <CodeForm purpose="login" action={t('sign_in')} onSubmit={signIn} />;
}
