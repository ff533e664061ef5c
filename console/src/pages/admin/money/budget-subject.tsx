import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { EntryError } from '../../../components/form/faults';
import { TextField } from '../../../components/form/form';
import { findSubjects, type NamedScope } from './budget-scopes';

const t = texts('money');

/** Long enough that typing a word asks once. */
const TYPING_MILLISECONDS = 250;

/** What is chosen begins with the id, because names need not be unique: `7 · ada`. */
const WITH_ID = /^#?(\d+)(\s·|$)/;

/** Whom a budget is for, looked for by name while it is typed. */
export function SubjectField({ scope }: { scope: NamedScope }): JSX.Element {
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
          timer.current = window.setTimeout(() => setText(value.trim()), TYPING_MILLISECONDS);
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

/** The id of what was chosen, or of the only one with this very name. @throws EntryError */
export async function subjectOf(scope: NamedScope, entry: string): Promise<number> {
  const [, id] = WITH_ID.exec(entry.trim()) ?? [];
  if (id !== undefined) return Number(id);
  const wanted = entry.trim().toLowerCase();
  const named = (await findSubjects(scope, entry.trim())).filter(({ name }) => name.toLowerCase() === wanted);
  const [only, ...others] = named;
  if (!only || others.length > 0) throw new EntryError('scope_id', t('choose_subject'));
  return only.id;
}
