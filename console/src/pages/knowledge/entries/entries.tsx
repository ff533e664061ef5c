import type { EntryDto, KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatKilobytes, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { isAdministrator, visit } from '../../../app/visit';
import { choicesOf } from '../../../components/form/choices';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { Time } from '../../../components/time';
import { Uploads } from '../uploads';
import { EntryActions } from './entry-actions';
import { EntryName } from './entry-name';
import { EntryRows } from './entry-rows';
import { EntryStatus } from './entry-status';
import { FileDrop } from './file-drop';
import { UploadList } from './upload-list';

const t = texts('knowledge');

/** The parameters come from the page's address. The service validates them. */
type Query = Parameters<typeof api.knowledge.listFiles>[0]['query'];

const STATUSES = ['in_progress', 'completed', 'failed', 'cancelled'] as const;

/** Many small uploads end within a second. They cause one request. */
const WAIT_MILLISECONDS = 1_000;

interface EntriesProps {
  collection: KnowledgeDto;
  /** Called when the numbers of the collection have changed. */
  onChange: () => void;
}

/** The files of a collection. Rows of files that are being read follow their progress. */
export function Entries({ collection, onChange }: EntriesProps): JSX.Element {
  const { id, my_role: role, trusted } = collection;
  const [version, reload] = useVersion();
  const changed = (): void => {
    reload();
    onChange();
  };
  useStoredUploads(changed);
  const isEditor = role !== 'reader';
  return (
    <section class="stack">
      {isEditor && (!trusted || isAdministrator()) && <FileDrop storeId={id} />}
      {isEditor && trusted && !isAdministrator() && <p class="notice">{t('trusted_closed')}</p>}
      <UploadList storeId={id} />
      <DataTable<EntryDto>
        label={t('files')}
        load={async ({ tab: _tab, ...query }) =>
          (await api.knowledge.listFiles({ path: { id }, query: query as Query })).data
        }
        version={version}
        filters={[
          { name: 'q', label: t('search_files') },
          { name: 'status', label: t('status'), choices: choicesOf(STATUSES, (status) => t(`status_${status}`)) },
        ]}
        columns={[
          { name: 'filename', label: t('file'), cell: (entry) => <EntryName storeId={id} entry={entry} /> },
          { name: 'status', label: t('status'), cell: (entry) => <EntryStatus entry={entry} /> },
          { name: 'passages', label: t('passages'), isNumber: true, cell: (entry) => formatNumber(entry.passages) },
          { name: 'bytes', label: t('size'), isNumber: true, cell: ({ bytes }) => formatKilobytes(bytes) },
          { name: 'created_at', label: t('added'), cell: ({ created_at: at }) => <Time at={at} /> },
          {
            name: 'actions',
            label: t('actions'),
            cell: (entry) => <EntryActions collection={collection} entry={entry} onChange={changed} />,
          },
        ]}
        rowKey={({ file_id: fileId }) => fileId}
        empty={<p>{t(isEditor ? 'no_files' : 'no_files_yet')}</p>}
        draw={(table) => <EntryRows storeId={id} table={table} onEnd={onChange} />}
      />
    </section>
  );
}

/** Calls the function after uploads have ended. */
function useStoredUploads(onStored: () => void): void {
  const stored = visit().part(Uploads).stored.value;
  const known = useRef(stored);
  useEffect(() => {
    if (known.current === stored) return undefined;
    const timer = setTimeout(() => {
      known.current = stored;
      onStored();
    }, WAIT_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [stored]);
}
