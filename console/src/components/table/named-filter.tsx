import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Choice } from '../form/choices';
import type { EntryProps } from './table-filters';

/** Debounces typing, so that one word causes one request. */
const TYPING_MILLISECONDS = 300;

/** Searches by name where a select box would be too long. */
export interface LookUp {
  /** Returns the matches for the words, each with its id. */
  find: (words: string) => Promise<Choice[]>;
  /** Returns the name for an id. */
  name: (id: string) => Promise<string>;
}

/** A filter that searches by name and sends the id. It also accepts an id. */
export function NamedFilter({ id, name, lookUp, value, onChange }: EntryProps & { lookUp: LookUp }): JSX.Element {
  const listId = useId();
  const [words, setWords] = useState('');
  const [choices, setChoices] = useState<Choice[]>([]);
  const asked = useRef(0);
  const timer = useRef<number>();
  const chosen = useRef(value);

  useEffect(() => {
    const question = ++asked.current;
    // A choice just made already shows its name.
    if (chosen.current !== value || value !== '') {
      chosen.current = value;
      const show = (text: string): void => void (question === asked.current && setWords(text));
      if (value === '') show('');
      else lookUp.name(value).then(show, () => show(`#${value}`));
    }
    return () => clearTimeout(timer.current);
  }, [value]);

  const take = (changed: string): void => {
    chosen.current = changed;
    onChange(changed);
  };
  const type = (typed: string): void => {
    setWords(typed);
    clearTimeout(timer.current);
    const question = ++asked.current;
    const known = choices.find(({ label }) => label === typed);
    if (known) return take(known.value);
    timer.current = window.setTimeout(() => {
      const number = /^\s*#?(\d{1,10})\s*$/.exec(typed)?.[1];
      if (typed.trim() === '') return take('');
      if (number !== undefined) return take(number);
      lookUp.find(typed.trim()).then(
        (found) => {
          if (question !== asked.current) return;
          setChoices(found);
          const same = found.filter(({ label }) => label.toLowerCase() === typed.trim().toLowerCase());
          if (same[0] && same.length === 1) take(same[0].value);
        },
        () => undefined,
      );
      return undefined;
    }, TYPING_MILLISECONDS);
    return undefined;
  };

  return (
    <>
      <input
        id={id}
        name={name}
        class="input"
        type="search"
        list={listId}
        autoComplete="off"
        value={words}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.label} />
        ))}
      </datalist>
    </>
  );
}
