import '../../styles/parts/table.css';
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { texts } from '../../app/i18n/languages';
import type { Choice } from '../form/choices';
import { Icon } from '../icon';
import { Menu } from '../menu';
import { PeriodChip } from './period-chip';
import type { TableQuery } from './table-query';

const t = texts('table');
const shell = texts('shell');

/** Debounces typing, so that one word causes one request. */
const TYPING_MILLISECONDS = 300;

/** The filter that searches in all rows, and is always shown. */
const SEARCH = 'q';

export interface Filter {
  /** Name of the API parameter. */
  name: string;
  label: string;
  /** For a select box. If set, `kind` is ignored. */
  choices?: Choice[];
  kind?: 'search' | 'date' | 'number';
  /** Of a period: the days until today that apply if it is empty. */
  preset?: number;
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

/**
 * The filters in one row: the search, the period, and a chip for each filter in use. A menu adds the others. They are
 * in the page's address.
 */
export function Filters({ filters, query, onChange }: FiltersProps): JSX.Element {
  const [added, setAdded] = useState<readonly string[]>([]);
  // A chip stays while its value changes, also if it is empty for a moment.
  const used = useRef(new Set<string>());
  for (const { name } of filters) if (query[name]) used.current.add(name);
  const isPeriod = ({ kind }: Filter): boolean => kind === 'date';
  const isShown = ({ name, isRequired }: Filter): boolean =>
    name === SEARCH || isRequired === true || used.current.has(name) || added.includes(name);
  const period = filters.find(isPeriod);
  const others = filters.filter((filter) => !isPeriod(filter));
  const hidden = others.filter((filter) => !isShown(filter));
  const remove = (name: string): void => {
    used.current.delete(name);
    setAdded(added.filter((other) => other !== name));
    onChange({ [name]: '' });
  };
  return (
    <div class="table-filters" role="search">
      {others.filter(isShown).map((filter) => (
        <Chip
          key={filter.name}
          filter={filter}
          value={query[filter.name] ?? ''}
          isNew={added.includes(filter.name)}
          onChange={(value) => onChange({ [filter.name]: value })}
          onRemove={filter.name === SEARCH || filter.isRequired ? undefined : () => remove(filter.name)}
        />
      ))}
      {period && <PeriodChip from={query.from} to={query.to} preset={period.preset} onChange={onChange} />}
      {hidden.length > 0 && (
        <Menu
          icon="plus"
          label={t('filter')}
          showLabel
          items={hidden.map(({ name, label }) => ({ label, onSelect: () => setAdded([...added, name]) }))}
        />
      )}
    </div>
  );
}

interface ChipProps {
  filter: Filter;
  value: string;
  /** Whether the user has just added it. */
  isNew: boolean;
  onChange: (value: string) => void;
  onRemove?: () => void;
}

function Chip({ filter, value, isNew, onChange, onRemove }: ChipProps): JSX.Element {
  const chip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // After the menu, which returns the focus to its button.
    if (isNew) setTimeout(() => chip.current?.querySelector<HTMLElement>('input, select')?.focus());
  }, []);
  return (
    <div ref={chip} class={filter.name === SEARCH ? 'chip search' : 'chip'}>
      <Entry filter={filter} value={value} onChange={onChange} />
      {onRemove && (
        <button
          type="button"
          class="button quiet only-icon small"
          aria-label={t('remove_filter', { name: filter.label })}
          onClick={onRemove}
        >
          <Icon name="close" />
        </button>
      )}
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
    <>
      {name === SEARCH ? <Icon name="search" /> : null}
      <label for={id} class={name === SEARCH ? 'visually-hidden' : ''}>
        {label}
      </label>
      {choices ? (
        <select id={id} name={name} class="input" onChange={(event) => onChange(event.currentTarget.value)}>
          {!isRequired && <option value="">{shell('all')}</option>}
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
          placeholder={name === SEARCH ? label : undefined}
          onInput={(event) => changeSoon(event.currentTarget.value)}
        />
      )}
    </>
  );
}
