import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { saveFile } from '../../app/api';
import { formatNumber } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { attempt } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { Button, IconButton } from '../button';
import { Empty, Show } from '../states';
import { type Filter, Filters } from './table-filters';
import type { TableQuery } from './table-query';
import { type Column, TableRows, type TableRowsProps } from './table-rows';

const t = texts('table');

export type { Column };

/** Address parameters that select the page. They do not change which rows match. */
const PLACE = ['page', 'after', 'before'];

/** One page of rows from the service. */
export interface TablePage<Row> {
  items: Row[];
  pagination: { page: number; size: number; total: number; pages: number };
}

interface DataTableProps<Row> {
  /** Name of the table, for screen readers. */
  label: string;
  columns: Column<Row>[];
  filters?: Filter[];
  load: (query: TableQuery) => Promise<TablePage<Row>>;
  /** Exports all rows that match the filters as CSV. */
  exportFile?: { name: string; read: (query: TableQuery) => Promise<Blob | string> };
  rowKey: (row: Row) => string | number;
  empty: ComponentChildren;
  /**
   * Whether the list supports `after` and `before`, so that new rows do not shift the pages. Such a list can only be
   * sorted by `id`.
   */
  isKeyset?: boolean;
  /** A change reloads the rows. */
  version?: number;
  /** Renders the rows in another way, for example with bulk actions. */
  draw?: (table: TableRowsProps<Row>, reload: () => void) => JSX.Element;
  /** Content between the filters and the rows, such as a chart of the rows. */
  between?: (rows: Row[]) => ComponentChildren;
}

/**
 * A table whose sorting, filters, pages and export are handled by the service. Its state is in the address, so it
 * survives a reload.
 */
export function DataTable<Row>(props: DataTableProps<Row>): JSX.Element {
  const { label, columns, filters = [], load, exportFile, rowKey, empty, version = 0, isKeyset = false } = props;
  const { between, draw = (table) => <TableRows {...table} /> } = props;
  const [parameters, setParameters] = useSearchParams();
  const query = Object.fromEntries(parameters) as TableQuery;
  const loaded = useLoad(() => load(query), [parameters.toString(), version]);

  const change = (changes: Record<string, string>): void =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        for (const name of PLACE) after.delete(name);
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') after.delete(name);
          else after.set(name, value);
        }
        return after;
      },
      { replace: true },
    );

  return (
    <div class="stack">
      <div class="row spread bottom">
        <Filters filters={filters} query={query} onChange={change} />
        {exportFile && <Export file={exportFile} query={query} />}
      </div>
      {between?.(loaded.data?.items ?? [])}
      <Show loaded={loaded}>
        {({ items, pagination }) => (
          <>
            {items.length === 0 ? (
              <Empty>{filters.some(({ name }) => query[name]) ? <p>{t('nothing_found')}</p> : empty}</Empty>
            ) : (
              draw(
                {
                  label,
                  columns,
                  rowKey,
                  rows: items,
                  isBusy: loaded.isLoading,
                  sorting: { sort: query.sort, onSort: (sort) => change({ sort }) },
                },
                loaded.reload,
              )
            )}
            {(items.length > 0 || pagination.page > 1) && (
              <Pager
                {...pagination}
                shown={items.length}
                onPage={(page) =>
                  change({ page: String(page), ...(isKeyset && beside(items, rowKey, page, pagination.page)) })
                }
              />
            )}
          </>
        )}
      </Show>
    </div>
  );
}

function Export({
  file,
  query,
}: {
  file: { name: string; read: (query: TableQuery) => Promise<Blob | string> };
  query: TableQuery;
}): JSX.Element {
  const [isBusy, setIsBusy] = useState(false);
  const save = async (): Promise<void> => {
    setIsBusy(true);
    const filters = Object.fromEntries(Object.entries(query).filter(([name]) => !PLACE.includes(name)));
    await attempt(async () => saveFile(await file.read(filters), `${file.name}.csv`));
    setIsBusy(false);
  };
  return (
    <Button icon="download" busy={isBusy} onClick={() => void save()}>
      {t('export_csv')}
    </Button>
  );
}

/** Address parameters of the adjacent page. The first page has none, so that it starts with the newest row. */
function beside<Row>(
  rows: Row[],
  rowKey: (row: Row) => string | number,
  page: number,
  from: number,
): Record<string, string> {
  const row = page > from ? rows.at(-1) : rows[0];
  if (page === 1 || row === undefined) return {};
  return { [page > from ? 'after' : 'before']: String(rowKey(row)) };
}

interface PagerProps {
  page: number;
  size: number;
  total: number;
  pages: number;
  /** Number of rows on this page. */
  shown: number;
  onPage: (page: number) => void;
}

function Pager({ page, size, total, pages, shown, onPage }: PagerProps): JSX.Element {
  const first = (page - 1) * size + 1;
  return (
    <nav class="row spread" aria-label={t('pages')}>
      <span class="soft">
        {shown > 0 &&
          t('rows_shown', {
            first: formatNumber(first),
            last: formatNumber(Math.min(total, first + shown - 1)),
            total,
          })}
      </span>
      <span class="row">
        <IconButton icon="back" label={t('previous_page')} disabled={page <= 1} onClick={() => onPage(page - 1)} />
        <IconButton icon="forward" label={t('next_page')} disabled={page >= pages} onClick={() => onPage(page + 1)} />
      </span>
    </nav>
  );
}
