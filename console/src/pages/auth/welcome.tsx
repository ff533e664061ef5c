import type { JSX } from 'preact';
import { branding } from '../../app/branding';
import { texts } from '../../app/i18n/languages';

const t = texts('auth');

/** The installation's welcome text. */
export function Welcome(): JSX.Element | null {
  const welcome = branding.value?.welcome;
  return welcome ? (
    <p class="welcome" dir="auto">
      {welcome}
    </p>
  ) : null;
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
