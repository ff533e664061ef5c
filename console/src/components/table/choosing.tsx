import '../../styles/parts/choosing.css';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { failureText } from '../../app/failure-text';
import { texts } from '../../app/i18n/languages';
import { toast } from '../../app/toasts';
import { Button } from '../button';
import { Dialog } from '../dialog';
import { Form, TextField, textOf } from '../form/form';
import { type Choosing, TableRows, type TableRowsProps } from './table-rows';

const t = texts('admin');

/** A bulk action for table rows. */
export interface RowAction<Row> {
  label: string;
  /** The effect of the action, and whether it can be undone. */
  hint: string;
  isDangerous?: boolean;
  /** Whether the action applies to this row. */
  fits: (row: Row) => boolean;
  /** Label of a text field, such as a reason; absent if no text is needed. */
  asksFor?: string;
  /** Runs the action for one row. */
  run: (row: Row, said: string) => Promise<unknown>;
}

interface Chosen<Row> extends Choosing<Row> {
  nameOf: (row: Row) => string;
  /** All rows of the page. */
  rows: Row[];
}

/** Table rows with checkboxes, for the `draw` property of a `DataTable`. */
export function choosable<Row>(
  actions: RowAction<Row>[],
  nameOf: (row: Row) => string,
): (table: TableRowsProps<Row>, reload: () => void) => JSX.Element {
  return (table, reload) => <ChoosableRows table={table} actions={actions} nameOf={nameOf} onDone={reload} />;
}

function ChoosableRows<Row>({
  table,
  actions,
  nameOf,
  onDone,
}: {
  table: TableRowsProps<Row>;
  actions: RowAction<Row>[];
  nameOf: (row: Row) => string;
  onDone: () => void;
}): JSX.Element {
  const { rows, rowKey } = table;
  const chosen = useChosen(rows, rowKey, nameOf);
  return (
    <>
      <ChosenBar chosen={chosen} rows={rows} actions={actions} onDone={onDone} />
      <TableRows {...table} choosing={chosen} />
    </>
  );
}

/** Tracks the selected rows. A row that leaves the page is no longer selected. */
function useChosen<Row>(
  rows: readonly Row[],
  rowKey: (row: Row) => string | number,
  nameOf: (row: Row) => string,
): Chosen<Row> {
  const [keys, setKeys] = useState<ReadonlySet<string | number>>(new Set());
  const isChosen = (row: Row): boolean => keys.has(rowKey(row));
  return {
    nameOf,
    labelOf: (row) => t('choose_row', { name: nameOf(row) }),
    isChosen,
    rows: rows.filter(isChosen),
    choose: (changed, isWanted) => {
      const kept = new Set(rows.filter(isChosen).map(rowKey));
      for (const row of changed) {
        if (isWanted) kept.add(rowKey(row));
        else kept.delete(rowKey(row));
      }
      setKeys(kept);
    },
  };
}

interface ChosenBarProps<Row> {
  chosen: Chosen<Row>;
  rows: readonly Row[];
  actions: RowAction<Row>[];
  onDone: () => void;
}

/** Selects all rows of the page, and offers the actions for the selected ones. */
function ChosenBar<Row>({ chosen, rows, actions, onDone }: ChosenBarProps<Row>): JSX.Element {
  const [open, setOpen] = useState<RowAction<Row>>();
  const count = chosen.rows.length;
  const possible = actions.filter(({ fits }) => chosen.rows.some(fits));
  return (
    <div class="row chosen-bar" role="group" aria-label={t('chosen', { count })}>
      <label class="row tight">
        <input
          type="checkbox"
          checked={count > 0 && count === rows.length}
          onChange={(event) => chosen.choose(rows, event.currentTarget.checked)}
        />
        {count === 0 ? t('choose_all') : t('chosen', { count })}
      </label>
      {possible.map((action) => (
        <Button key={action.label} kind={action.isDangerous ? 'danger' : 'plain'} onClick={() => setOpen(action)}>
          {action.label}
        </Button>
      ))}
      {open && (
        <ActionDialog
          action={open}
          rows={chosen.rows.filter(open.fits)}
          nameOf={chosen.nameOf}
          onClose={() => setOpen(undefined)}
          onDone={(failed) => {
            setOpen(undefined);
            chosen.choose(chosen.rows, false);
            chosen.choose(failed, true);
            onDone();
          }}
        />
      )}
    </div>
  );
}

interface ActionDialogProps<Row> {
  action: RowAction<Row>;
  rows: Row[];
  nameOf: (row: Row) => string;
  onClose: () => void;
  onDone: (failed: Row[]) => void;
}

/** Maximum number of selected rows whose names are listed. Of more rows, only the number is shown. */
const MOST_NAMED = 10;

function ActionDialog<Row>({ action, rows, nameOf, onClose, onDone }: ActionDialogProps<Row>): JSX.Element {
  /** One request at a time, because the service limits concurrent requests per user. */
  const runAll = async (entries: FormData): Promise<void> => {
    const failed: Row[] = [];
    let first: unknown;
    for (const row of rows) {
      try {
        await action.run(row, action.asksFor ? textOf(entries, 'said') : '');
      } catch (error) {
        first ??= error;
        failed.push(row);
      }
    }
    const done = t('done_of', { done: rows.length - failed.length, total: rows.length });
    if (failed.length > 0) toast(`${done} ${failureText(first)}`, { isFailure: true });
    else toast(done);
    onDone(failed);
  };
  return (
    <Dialog title={`${action.label}: ${t('chosen', { count: rows.length })}`} onClose={onClose}>
      <p>{action.hint}</p>
      <ul class="chosen-names">
        {rows.slice(0, MOST_NAMED).map((row) => (
          <li key={nameOf(row)}>
            <bdi>{nameOf(row)}</bdi>
          </li>
        ))}
        {rows.length > MOST_NAMED && <li>…</li>}
      </ul>
      <Form action={action.label} isDangerous={action.isDangerous} onSubmit={runAll}>
        {action.asksFor && <TextField name="said" label={action.asksFor} required maxLength={500} />}
      </Form>
    </Dialog>
  );
}
