import type { JSX } from 'preact';
import { branding } from '../../app/branding';
import { texts } from '../../app/i18n/languages';

const t = texts('auth');

/** What the installation says to those who come. */
export function Welcome(): JSX.Element | null {
  const { name = '', logo = null, welcome = null } = branding.value ?? {};
  return logo === null && welcome === null ? null : (
    <div class="welcome stack">
      {logo && <img src={logo} alt={name} />}
      {welcome && <p dir="auto">{welcome}</p>}
    </div>
  );
}

/** The way to its terms. */
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
