import type { JSX } from 'preact';
import { branding } from '../../app/branding';
import { texts } from '../../app/i18n/languages';

const t = texts('auth');

/** The installation's welcome text and logo. */
export function Welcome(): JSX.Element | null {
  const { name = '', logo = null, welcome = null } = branding.value ?? {};
  return logo === null && welcome === null ? null : (
    <div class="welcome stack">
      {logo && <img src={logo} alt={name} />}
      {welcome && <p dir="auto">{welcome}</p>}
    </div>
  );
}

/** A link to the terms of the installation. */
export function Terms(): JSX.Element | null {
  const address = branding.value?.terms_url;
  return address ? (
    <li>
      <a href={address} rel="noreferrer" target="_blank">
        {t('terms')}
      </a>
    </li>
  ) : null;
}
