import '../../styles/parts/facts.css';
import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { visibleJson, visibleText } from './visible-json';

const t = texts('acting');

/** The arguments of a call in words: a name and a value for each. The exact JSON is folded below. */
export function ReadableArguments({ value }: { value: unknown }): JSX.Element {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isObject ? Object.entries(value) : [];
  if (entries.length === 0) return <GivenArguments value={value} />;
  return (
    <>
      <div class="said-arguments" tabIndex={0} role="group" aria-label={t('arguments')}>
        <dl class="facts" dir="auto">
          {entries.map(([name, given]) => [
            <dt key={name}>{visibleText(name)}</dt>,
            <dd key={`${name} value`}>{typeof given === 'string' ? visibleText(given) : visibleJson(given)}</dd>,
          ])}
        </dl>
      </div>
      <details>
        <summary>{t('arguments_json')}</summary>
        <GivenArguments value={value} />
      </details>
    </>
  );
}

/** The exact arguments of a call. */
export function GivenArguments({ value }: { value: unknown }): JSX.Element {
  if (value === null || value === undefined) return <p class="soft">{t('arguments_gone')}</p>;
  return (
    <pre class="given" dir="ltr" tabIndex={0} role="group" aria-label={t('arguments')}>
      {visibleJson(value)}
    </pre>
  );
}
