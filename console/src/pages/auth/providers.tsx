import { type IdentityLinkRequiredDetails, isApiError, type SignInProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { Returned, signInWith } from '../../app/session';
import { attempt } from '../../app/toasts';
import { visit } from '../../app/visit';
import { Button } from '../../components/button';
import { textOf } from '../../components/form/form';
import { Page } from '../../components/page/page';
import { CodeForm } from './code-form';

const t = texts('auth');

interface ProvidersProps {
  providers: SignInProviderDto[];
  /** Whether password sign-in is disabled. */
  isOnlyWay: boolean;
}

/** A button for each provider. PKCE needs Web Crypto, which browsers provide only in secure contexts. */
export function Providers({ providers, isOnlyWay }: ProvidersProps): JSX.Element | null {
  const [chosen, setChosen] = useState<string>();
  if (!isSecureContext) return isOnlyWay ? <p class="notice">{t('providers_unencrypted')}</p> : null;
  const leave = async (slug: string): Promise<void> => {
    setChosen(slug);
    if (!(await attempt(() => signInWith(slug)))) setChosen(undefined);
  };
  return (
    <>
      {providers.map(({ slug, name }) => (
        <Button
          key={slug}
          kind={isOnlyWay ? 'primary' : 'plain'}
          busy={chosen === slug}
          onClick={() => void leave(slug)}
        >
          {t('sign_in_with', { name })}
        </Button>
      ))}
    </>
  );
}

/** The confirmation that the service requires before it links an identity, if any. */
export function linkAsked(): { details: IdentityLinkRequiredDetails; message: string } | undefined {
  const { failure } = visit().part(Returned);
  return isApiError(failure, 'IDENTITY_LINK_REQUIRED') ? failure : undefined;
}

/** A code by email confirms, once, the address that the provider has sent. */
export function LinkIdentity({
  link,
  text,
}: {
  link: { link_token: string; email: string };
  text: string;
}): JSX.Element {
  const enter = (entries: FormData): Promise<unknown> =>
    api.session.linkIdentity({ link_token: link.link_token, verification_code: textOf(entries, 'code') });
  return (
    <Page title={t('confirm_address')} narrow>
      <p class="soft">{text}</p>
      <div class="card stack">
        <CodeForm purpose="link_identity" link={link} action={t('sign_in')} onSubmit={enter} />
      </div>
      <ul class="ways">
        <li>
          {/* A full page load resets the sign-in. */}
          <a href="/console/sign-in">{t('sign_in_otherwise')}</a>
        </li>
      </ul>
    </Page>
  );
}
