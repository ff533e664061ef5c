import '../../../../styles/parts/servers.css';
import type { JSX } from 'preact';
import { texts } from '../../../../app/i18n/languages';
import { type DefinitionText, type Line, sidesOf, textsOf } from './definition-texts';

const t = texts('servers');

/** Members with a translated label. */
const NAMED = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** A tool's definition. If it has changed since its approval, both versions are shown. */
export function DefinitionView({ approved, present }: { approved: unknown; present: unknown }): JSX.Element {
  const now = textsOf(present);
  const before = textsOf(approved);
  if (approved === null || approved === undefined) {
    return (
      <div class="stack">
        {now.map(({ name, text }) => (
          <section key={name} class="stack tight">
            <h3>{labelOf(name)}</h3>
            <Text label={labelOf(name)} text={text} />
          </section>
        ))}
      </div>
    );
  }
  const names = [...new Set([...now, ...before].map(({ name }) => name))];
  const textIn = (side: DefinitionText[], name: string): string | undefined =>
    side.find((member) => member.name === name)?.text;
  const isChanged = (name: string): boolean => textIn(now, name) !== textIn(before, name);
  const equal = names.filter((name) => !isChanged(name));
  return (
    <div class="stack">
      {names.filter(isChanged).map((name) => (
        <Comparison key={name} name={name} before={textIn(before, name)} after={textIn(now, name)} />
      ))}
      {equal.length > 0 && (
        <details>
          <summary>{t('unchanged', { names: equal.map(labelOf).join(', ') })}</summary>
          <div class="stack">
            {equal.map((name) => (
              <section key={name} class="stack tight">
                <h3>{labelOf(name)}</h3>
                <Text label={labelOf(name)} text={textIn(now, name) ?? ''} />
              </section>
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

function labelOf(name: string): string {
  const known = NAMED.find((member) => member === name);
  return known === undefined ? name : t(`member_${known}`);
}

interface ComparisonProps {
  name: string;
  /** Absent if the definition did not have this member. */
  before: string | undefined;
  after: string | undefined;
}

/** One member before and after the change, side by side, or stacked on narrow screens. */
function Comparison({ name, before, after }: ComparisonProps): JSX.Element {
  const label = labelOf(name);
  const sides = sidesOf(before ?? '', after ?? '');
  return (
    <section class="stack tight">
      <h3>{label}</h3>
      <div class="sides">
        <Side label={label} title={t('side_approved')} lines={before === undefined ? null : sides.before} />
        <Side label={label} title={t('side_now')} lines={after === undefined ? null : sides.after} isNow />
      </div>
    </section>
  );
}

interface SideProps {
  label: string;
  title: string;
  /** Null if the member is absent. */
  lines: Line[] | null;
  isNow?: boolean;
}

function Side({ label, title, lines, isNow = false }: SideProps): JSX.Element {
  return (
    <div class="side stack tight">
      <p class="label">{title}</p>
      <div class="lines" role="group" aria-label={`${label}: ${title}`} tabIndex={0} dir="ltr">
        {lines === null ? (
          <span class="soft">{t('says_nothing')}</span>
        ) : (
          lines.map((line, index) => <LineView key={index} line={line} isNow={isNow} />)
        )}
      </div>
    </div>
  );
}

function LineView({ line, isNow }: { line: Line; isNow: boolean }): JSX.Element {
  if (line.kind === 'left_out') return <span class="soft">{t('left_out', { count: line.count })}</span>;
  const words = line.pieces.map(({ text, isChanged }, index) =>
    isChanged ? (
      <strong key={index}>
        <Signs text={text} />
      </strong>
    ) : (
      <Signs key={index} text={text} />
    ),
  );
  // A non-breaking space keeps the height of an empty line.
  const shown = words.length === 1 && line.pieces[0]?.text === '' ? '\u00a0' : words;
  if (line.kind === 'same') return <span>{shown}</span>;
  return isNow ? <ins>{shown}</ins> : <del>{shown}</del>;
}

function Text({ label, text }: { label: string; text: string }): JSX.Element {
  return (
    <pre class="given" dir="ltr" tabIndex={0} role="group" aria-label={label}>
      <Signs text={text} />
    </pre>
  );
}

/** Text with highlighted invisible characters. */
function Signs({ text }: { text: string }): JSX.Element {
  return (
    <>
      {text
        .split(/((?:\\u[0-9a-f]{4})+)/)
        .map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}
    </>
  );
}
