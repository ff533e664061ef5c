import { isApiError, type SignInProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { failureText } from '../../app/failure-text';
import { texts } from '../../app/i18n/languages';
import { linkIdentity } from '../../app/session';
import { attempt, toast } from '../../app/toasts';
import { user } from '../../app/visit';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Form, TextField, textOf } from '../../components/form/form';
import { PasswordField } from '../../components/form/password-field';
import { PasswordManagerName, withPassword } from './password-proof';

const t = texts('account');

/** The page to return to. */
const PAGE = '/account/password';

/** A button for each provider that is not linked yet. */
export function LinkButtons({ providers }: { providers: SignInProviderDto[] }): JSX.Element | null {
  const [chosen, setChosen] = useState<SignInProviderDto>();
  const [isAsking, setIsAsking] = useState(false);
  // The PKCE challenge needs Web Crypto, which browsers provide only in secure contexts.
  if (!isSecureContext || providers.length === 0) return null;
  const leave = async (provider: SignInProviderDto): Promise<void> => {
    setChosen(provider);
    try {
      await linkIdentity(provider.slug, PAGE, {});
    } catch (error) {
      if (isApiError(error, 'VALIDATION_ERROR')) return setIsAsking(true);
      toast(failureText(error), { isFailure: true });
      setChosen(undefined);
    }
  };
  const close = (): void => {
    setIsAsking(false);
    setChosen(undefined);
  };
  return (
    <>
      <div class="row">
        {providers.map((provider) => (
          <Button key={provider.slug} icon="plus" busy={chosen === provider} onClick={() => void leave(provider)}>
            {t('link', { name: provider.name })}
          </Button>
        ))}
      </div>
      {isAsking && chosen && (
        <Dialog title={t('link', { name: chosen.name })} onClose={close}>
          <p class="soft">{t('link_proof_text')}</p>
          <Proof slug={chosen.slug} />
        </Dialog>
      )}
    </>
  );
}

/**
 * A password or a code by email confirms that the account owner, not someone at an unlocked screen, links the identity.
 */
function Proof({ slug }: { slug: string }): JSX.Element {
  /** The service's message about the code; undefined while the password form is shown. */
  const [sent, setSent] = useState<string>();
  const send = (): Promise<unknown> =>
    attempt(async () => {
      const body = { email: user.value?.email ?? '', purpose: 'login' as const };
      setSent((await api.auth.sendCode({ body })).message);
    });
  if (sent !== undefined) {
    return (
      <Form
        key="code"
        action={t('go_on')}
        onSubmit={(entries) => linkIdentity(slug, PAGE, { verification_code: textOf(entries, 'verification_code') })}
      >
        <p class="notice success" role="status">
          {sent}
        </p>
        <TextField
          label={t('code')}
          name="verification_code"
          hint={t('code_hint')}
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={64}
          required
        />
      </Form>
    );
  }
  return (
    <>
      <Form
        key="password"
        action={t('go_on')}
        onSubmit={(entries) =>
          withPassword('password', () => linkIdentity(slug, PAGE, { password: textOf(entries, 'password') }))
        }
      >
        <PasswordManagerName />
        <PasswordField label={t('current_password')} name="password" />
      </Form>
      <div class="row">
        <Button kind="quiet" onClick={() => void send()}>
          {t('with_code')}
        </Button>
      </div>
    </>
  );
}
