import type { EntryDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { TableRows, type TableRowsProps } from '../../../components/table/table-rows';

/** Entries have a rate limit of their own for this: 600 requests a minute. */
const PAUSE_MILLISECONDS = 1_500;
const MOST_AT_ONCE = 5;

interface EntryRowsProps {
  storeId: number;
  table: TableRowsProps<EntryDto>;
  /** Called when the last file on this page has been read. */
  onEnd: () => void;
}

/** The rows of a page, of which those that are being read are requested again. */
export function EntryRows({ storeId, table, onEnd }: EntryRowsProps): JSX.Element {
  const [newer, setNewer] = useState<ReadonlyMap<number, EntryDto>>(new Map());
  // A reload returns newer rows than those of earlier requests.
  useEffect(() => setNewer(new Map()), [table.rows]);
  const rows = table.rows.map((row) => newer.get(row.file_id) ?? row);
  // The oldest are read first.
  const pending = rows.filter(isPending).slice(-MOST_AT_ONCE);
  const pendingIds = pending.map(({ file_id: id }) => id).join();
  useEffect(() => {
    if (pendingIds === '') return undefined;
    let isOver = false;
    let timer = setTimeout(() => void ask(), PAUSE_MILLISECONDS);
    const ask = async (): Promise<void> => {
      const answers = await Promise.allSettled(
        pending.map(({ file_id }) => api.knowledge.readFile({ path: { id: storeId, file_id } })),
      );
      if (isOver) return;
      const read = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.data : []));
      setNewer((known) => new Map([...known, ...read.map((entry) => [entry.file_id, entry] as const)]));
      if (rows.filter(isPending).length === read.length && !read.some(isPending)) onEnd();
      timer = setTimeout(() => void ask(), PAUSE_MILLISECONDS);
    };
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [pendingIds, table.rows]);
  return <TableRows {...table} rows={rows} />;
}

/** Whether a file is being read, or read again. */
function isPending({ status, stage }: EntryDto): boolean {
  return status === 'in_progress' || (status === 'completed' && stage !== 'done');
}
