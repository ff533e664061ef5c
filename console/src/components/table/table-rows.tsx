import '../../styles/parts/table.css';
import type { ComponentChildren, JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { Icon } from '../icon';
import { useEdges } from './table-edges';

const t = texts('table');

export interface Column<Row> {
  /** Also the name for the `sort` parameter. */
  name: string;
  label: string;
  isSortable?: boolean;
  isNumber?: boolean;
  cell: (row: Row) => ComponentChildren;
}

/** The selection of rows on a page. */
export interface Choosing<Row> {
  /** Label of the row's checkbox, for screen readers. */
  labelOf: (row: Row) => string;
  isChosen: (row: Row) => boolean;
  choose: (rows: readonly Row[], isWanted: boolean) => void;
}

/** The current sort order, and how to change it. */
interface Sorting {
  sort: string | undefined;
  onSort: (sort: string) => void;
}

export interface TableRowsProps<Row> {
  /** Name of the table, for screen readers. */
  label: string;
  /** The first column stays in view. In a card, it is the title. */
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  isBusy?: boolean;
  sorting?: Sorting;
  choosing?: Choosing<Row>;
}

/** The rows of a table. On narrow screens, each row is a card. */
export function TableRows<Row>(props: TableRowsProps<Row>): JSX.Element {
  const { label, columns, rows, rowKey, isBusy, sorting, choosing } = props;
  const { ref, look } = useEdges();
  return (
    <div class="table-frame">
      {sorting && columns.some(({ isSortable }) => isSortable) && <SortChoice columns={columns} {...sorting} />}
      <div
        ref={ref}
        class="table-scroll"
        role="region"
        aria-label={label}
        tabIndex={0}
        aria-busy={isBusy}
        onScroll={look}
      >
        {/* Explicit roles, because browsers drop them when the style sheet turns rows into cards. */}
        <table role="table">
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column) => (
                <Head key={column.name} column={column} sorting={sorting} />
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <tr key={rowKey(row)} role="row">
                {columns.map((column, index) => (
                  <td key={column.name} role="cell" class={column.isNumber ? 'number' : ''} data-label={column.label}>
                    <div class="cell">
                      {index === 0 && choosing ? (
                        <Choice row={row} choosing={choosing}>
                          {column.cell(row)}
                        </Choice>
                      ) : (
                        column.cell(row)
                      )}
                    </div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Choice<Row>({
  row,
  choosing: { isChosen, choose, labelOf },
  children,
}: {
  row: Row;
  choosing: Choosing<Row>;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <span class="chosen">
      <input
        type="checkbox"
        aria-label={labelOf(row)}
        checked={isChosen(row)}
        onChange={(event) => choose([row], event.currentTarget.checked)}
      />
      <span>{children}</span>
    </span>
  );
}

function Head<Row>({
  column: { name, label, isSortable, isNumber },
  sorting,
}: {
  column: Column<Row>;
  sorting: Sorting | undefined;
}): JSX.Element {
  const sort = sorting?.sort;
  const direction = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined;
  return (
    <th scope="col" role="columnheader" class={isNumber ? 'number' : ''} aria-sort={direction}>
      {isSortable && sorting ? (
        <button
          type="button"
          class="sort"
          onClick={() => sorting.onSort(direction === 'descending' ? name : `-${name}`)}
        >
          {label}
          {direction && <Icon name={direction === 'ascending' ? 'ascending' : 'descending'} />}
        </button>
      ) : (
        label
      )}
    </th>
  );
}

/** Replaces the sortable column headers when rows are cards. */
function SortChoice<Row>({ columns, sort, onSort }: { columns: Column<Row>[] } & Sorting): JSX.Element {
  return (
    <label class="sort-choice">
      {t('sort_by')}
      <select class="input" onChange={(event) => onSort(event.currentTarget.value)}>
        <option value="">—</option>
        {columns
          .filter(({ isSortable }) => isSortable)
          .flatMap(({ name, label }) => [
            [`-${name}`, `${label} ↓`],
            [name, `${label} ↑`],
          ])
          .map(([value, label]) => (
            <option key={value} value={value} selected={value === sort}>
              {label}
            </option>
          ))}
      </select>
    </label>
  );
}
