import { Fragment, type JSX } from 'preact';
import { texts } from '../../app/i18n/languages';

const t = texts('admin');

type State = Record<string, unknown> | null;

/** Longer values are shortened until the user expands them. */
const SHORT = 80;

/** Names of the fields that differ between two states. */
export function changedFields(before: State, after: State): string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => textOf(before?.[name]) !== textOf(after?.[name]),
  );
}

/** Shows the fields that differ between two states, each with both values. */
export function Changes({ before, after }: { before: State; after: State }): JSX.Element | null {
  const names = changedFields(before, after);
  if (names.length === 0) return null;
  return (
    <dl class="changes">
      {names.map((name) => (
        <Fragment key={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>
            {before && name in before && (
              <del>
                <Value text={textOf(before[name])} label={t('before')} />
              </del>
            )}
            {after && name in after && (
              <ins>
                <Value text={textOf(after[name])} label={t('after')} />
              </ins>
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Value({ text, label }: { text: string; label: string }): JSX.Element {
  return (
    <>
      <span class="visually-hidden">{label}: </span>
      {text.length <= SHORT ? (
        <bdi>{text}</bdi>
      ) : (
        <details>
          <summary>
            <bdi>{text.slice(0, SHORT)}…</bdi>
          </summary>
          <bdi class="written">{text}</bdi>
        </details>
      )}
    </>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
