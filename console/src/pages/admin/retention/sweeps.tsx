import type { RetentionSweepDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { Show } from '../../../components/states';
import { TableRows } from '../../../components/table/table-rows';
import { Time } from '../../../components/time';
import { KINDS } from './policy-form';

const t = texts('retention');

const NEWEST = 10;

const TONES = { running: 'accent', completed: 'success', cut: 'warning', failed: 'danger' } as const;

/** The newest sweeps, and a button that starts one. */
export function Sweeps({ version, onStarted }: { version: number; onStarted: () => void }): JSX.Element {
  const loaded = useLoad(
    async () => (await api.admin.retention.sweeps({ query: { size: NEWEST } })).data.items,
    [version],
  );
  return (
    <div class="stack">
      <div class="row spread">
        <h2>{t('sweeps')}</h2>
        <Button icon="refresh" onClick={() => void run().then(onStarted)}>
          {t('run')}
        </Button>
      </div>
      <Show loaded={loaded}>
        {(sweeps) =>
          sweeps.length === 0 ? (
            <p>{t('no_sweeps')}</p>
          ) : (
            <TableRows
              label={t('sweeps')}
              rows={sweeps}
              rowKey={({ id }) => id}
              columns={[
                { name: 'started_at', label: t('started'), cell: ({ started_at }) => <Time at={started_at} /> },
                {
                  name: 'status',
                  label: t('status'),
                  cell: ({ status }) => <Badge tone={TONES[status]}>{t(`status_${status}`)}</Badge>,
                },
                { name: 'trigger', label: t('trigger'), cell: ({ trigger }) => t(`trigger_${trigger}`) },
                { name: 'deleted', label: t('deleted'), cell: (sweep) => <Deleted sweep={sweep} /> },
              ]}
            />
          )
        }
      </Show>
    </div>
  );
}

function Deleted({ sweep: { deleted, held } }: { sweep: RetentionSweepDto }): JSX.Element {
  const counts = KINDS.filter((kind) => deleted[kind] > 0).map(
    (kind) => `${t(`kind_${kind}`)}: ${formatNumber(deleted[kind])}`,
  );
  const kept = held.chats + held.files;
  const facts = [...counts, ...(kept > 0 ? [t('held', { number: formatNumber(kept) })] : [])];
  return <>{facts.length > 0 ? facts.join(' · ') : '—'}</>;
}

async function run(): Promise<void> {
  const question = { title: t('run_title'), text: t('run_hint'), action: t('run') };
  if (!(await confirm({ ...question, isDangerous: true }))) return;
  if (await attempt(() => api.admin.retention.run())) toast(t('run_started'));
}
