import '../../styles/parts/table.css';
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../../app/i18n/languages';
import type { Choice } from '../form/choices';
import type { TableQuery } from './table-query';

const t = texts('shell');

/** Long enough that typing a word asks once. */
const TYPING_MILLISECONDS = 300;

export interface Filter {
  /** The name of the service's parameter. */
  name: string;
  label: string;
  /** Given for a choice; `kind` is then of no account. */
  choices?: Choice[];
  kind?: 'search' | 'date' | 'number';
  /** Draws another entry, such as for the id of something that is looked for by its name. */
  entry?: (props: EntryProps) => JSX.Element;
  /** One of the choices always counts: the first one, unless another is chosen. */
  isRequired?: boolean;
}

/** What an entry of a filter is given. */
export interface EntryProps {
  id: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
}

interface FiltersProps {
  filters: Filter[];
  query: TableQuery;
  onChange: (changes: Record<string, string>) => void;
}

export function Filters({ filters, query, onChange }: FiltersProps): JSX.Element {
  return (
    <div class="table-filters" role="search">
      {filters.map((filter) => (
        <Entry
          key={filter.name}
          filter={filter}
          value={query[filter.name] ?? ''}
          onChange={(value) => onChange({ [filter.name]: value })}
        />
      ))}
    </div>
  );
}

function Entry({
  filter: { name, label, choices, entry, kind = 'search', isRequired = false },
  value,
  onChange,
}: {
  filter: Filter;
  value: string;
  onChange: (value: string) => void;
}): JSX.Element {
  const id = useId();
  const timer = useRef<number>();
  // Else a search would be put into the address of the next page.
  useEffect(() => () => clearTimeout(timer.current), []);
  const changeSoon = (changed: string): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => onChange(changed), TYPING_MILLISECONDS);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {choices ? (
        <select id={id} name={name} class="input" onChange={(event) => onChange(event.currentTarget.value)}>
          {!isRequired && <option value="">{t('all')}</option>}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} selected={choice.value === value}>
              {choice.label}
            </option>
          ))}
        </select>
      ) : entry ? (
        entry({ id, name, value, onChange })
      ) : (
        <input
          id={id}
          name={name}
          class="input"
          type={kind}
          defaultValue={value}
          onInput={(event) => changeSoon(event.currentTarget.value)}
        />
      )}
    </div>
  );
}
