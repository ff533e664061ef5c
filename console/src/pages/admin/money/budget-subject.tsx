import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { EntryError } from '../../../components/form/faults';
import { TextField } from '../../../components/form/form';
import { findSubjects, type NamedScope } from './budget-scopes';

const t = texts('money');

/** Debounces typing, so that one word causes one request. */
const TYPING_MILLISECONDS = 250;

/** A chosen suggestion starts with the id, because names are not unique: `7 · ada`. */
const WITH_ID = /^#?(\d+)(\s·|$)/;

/** Searches for the subject of a budget by name. */
export function SubjectField({ scope, onText }: { scope: NamedScope; onText: (text: string) => void }): JSX.Element {
  const list = useId();
  const [text, setText] = useState('');
  const timer = useRef<number>();
  useEffect(() => () => clearTimeout(timer.current), []);
  const isChosen = WITH_ID.test(text);
  const { data = [] } = useLoad(async () => (isChosen ? [] : findSubjects(scope, text)), [isChosen ? '' : text]);
  return (
    <>
      <TextField
        name="scope_id"
        label={t(`scope_${scope}`)}
        hint={t('subject_hint')}
        list={list}
        autoComplete="off"
        required
        onInput={(event) => {
          const { value } = event.currentTarget;
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => {
            setText(value.trim());
            onText(value.trim());
          }, TYPING_MILLISECONDS);
        }}
      />
      <datalist id={list}>
        {data.map(({ id, name }) => (
          <option key={id} value={`${id} · ${name}`} />
        ))}
      </datalist>
    </>
  );
}

/** Whether the entry refers to this subject, as far as that is known without a request. */
export function isEntered(entry: string, { id, name }: { id: number; name: string }): boolean {
  const [, chosen] = WITH_ID.exec(entry) ?? [];
  return chosen === undefined ? name.toLowerCase() === entry.toLowerCase() : Number(chosen) === id;
}

/**
 * Returns the id in the entry, or the id of the only subject with exactly this name.
 *
 * @throws EntryError
 */
export async function subjectOf(scope: NamedScope, entry: string): Promise<number> {
  const [, id] = WITH_ID.exec(entry.trim()) ?? [];
  if (id !== undefined) return Number(id);
  const wanted = entry.trim().toLowerCase();
  const named = (await findSubjects(scope, entry.trim())).filter(({ name }) => name.toLowerCase() === wanted);
  const [only, ...others] = named;
  if (!only || others.length > 0) throw new EntryError('scope_id', t('choose_subject'));
  return only.id;
}
