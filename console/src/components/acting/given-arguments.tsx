import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { visibleJson } from './visible-json';

const t = texts('acting');

/** The exact arguments of a call. */
export function GivenArguments({ value }: { value: unknown }): JSX.Element {
  if (value === null || value === undefined) return <p class="soft">{t('arguments_gone')}</p>;
  return (
    <pre class="given" dir="ltr" tabIndex={0} role="group" aria-label={t('arguments')}>
      {visibleJson(value)}
    </pre>
  );
}
