import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { EntryError } from '../form/faults';
import { TextField } from '../form/form';

const t = texts('manage');

/** Debounces typing, so that one word causes one request. */
const TYPING_MILLISECONDS = 250;

/** A chosen suggestion starts with the id, because names are not unique: `7 · ada`. */
const WITH_ID = /^#?(\d+)(\s·|$)/;

/** What is searched for by name, because there are many. */
export type NamedScope = 'user' | 'group' | 'agent' | 'api_key';

interface SubjectFieldProps {
  scope: NamedScope;
  label: string;
  /** Receives the entry a moment after it changed. */
  onText?: (text: string) => void;
}

/** Searches for the subject of a budget or a legal hold by name. The entry is `scope_id`. */
export function SubjectField({ scope, label, onText }: SubjectFieldProps): JSX.Element {
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
        label={label}
        hint={t('subject_hint')}
        list={list}
        autoComplete="off"
        required
        onInput={(event) => {
          const { value } = event.currentTarget;
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => {
            setText(value.trim());
            onText?.(value.trim());
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

interface Found {
  id: number;
  name: string;
}

const MOST_FOUND = 20;

/** Returns the subjects whose names contain the text; the first ones if it is empty. */
async function findSubjects(scope: NamedScope, text: string): Promise<Found[]> {
  const query = { size: MOST_FOUND, ...(text && { q: text }) };
  switch (scope) {
    case 'user':
      return (await api.admin.users.list({ query })).data.items.map(({ id, username }) => ({ id, name: username }));
    case 'group':
      return (await api.admin.groups.list({ query })).data.items;
    case 'agent':
      return (await api.agents.list({ query })).data.items;
    case 'api_key':
      return (await api.admin.apiKeys.list({ query })).data.items;
  }
}
