import '../../styles/parts/table.css';
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../../app/i18n/languages';
import type { Choice } from '../form/choices';
import type { TableQuery } from './table-query';

const t = texts('shell');

/** Debounces typing, so that one word causes one request. */
const TYPING_MILLISECONDS = 300;

export interface Filter {
  /** Name of the API parameter. */
  name: string;
  label: string;
  /** For a select box. If set, `kind` is ignored. */
  choices?: Choice[];
  kind?: 'search' | 'date' | 'number';
  /** Renders a custom input, such as one that finds an id by name. */
  entry?: (props: EntryProps) => JSX.Element;
  /** Whether one choice always applies, by default the first. */
  isRequired?: boolean;
}

/** Properties of a custom filter input. */
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
  // A pending search would otherwise change the address of the next page.
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
