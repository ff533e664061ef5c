import type { InstanceDto, VariableDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api, saveFile } from '../../../app/api';
import { formatDuration, formatMegabytes, formatNumber, formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Badge, type Tone } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { Form, Select, TextArea, TextField, textOf } from '../../../components/form/form';
import { Page } from '../../../components/page/page';
import { Show } from '../../../components/states';
import { type Column, TableRows } from '../../../components/table/table-rows';

const t = texts('operation');

const REFRESH_MILLISECONDS = 10_000;

const TONES: Record<InstanceDto['state'], Tone> = {
  starting: 'accent',
  serving: 'success',
  draining: 'warning',
  lost: 'danger',
};

/** The levels from which an administrator chooses. `silent` would hide all faults. */
const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const;

/** The processes of the service with their state, the log level, the configuration and the support bundle. */
export function Instances(): JSX.Element {
  const loaded = useLoad(async () => (await api.admin.instances.list()).data, []);
  const { reload } = loaded;
  const [open, setOpen] = useState<'level' | 'bundle'>();
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), REFRESH_MILLISECONDS);
    return () => clearInterval(timer);
  }, [reload]);
  const close = (): void => setOpen(undefined);
  return (
    <Page
      title={t('instances')}
      actions={
        <>
          <Button icon="download" onClick={() => setOpen('bundle')}>
            {t('support_bundle')}
          </Button>
          <Button icon="edit" onClick={() => setOpen('level')}>
            {t('set_log_level')}
          </Button>
        </>
      }
    >
      <p class="soft">{t('instances_hint')}</p>
      <Show loaded={loaded}>
        {(instances) => (
          <>
            <TableRows label={t('instances')} columns={columns()} rows={instances} rowKey={({ id }) => id} />
            {open === 'level' && <LevelDialog instances={instances} onClose={close} onDone={reload} />}
          </>
        )}
      </Show>
      <Configuration />
      {open === 'bundle' && <BundleDialog onClose={close} />}
    </Page>
  );
}

function columns(): Column<InstanceDto>[] {
  return [
    { name: 'hostname', label: t('host'), cell: (instance) => <Host instance={instance} /> },
    { name: 'version', label: t('version'), cell: (instance) => <Version instance={instance} /> },
    { name: 'load', label: t('load'), cell: (instance) => <Load instance={instance} /> },
    { name: 'lag', label: t('lag'), cell: ({ lag }) => (lag === null ? '—' : <Lag lag={lag} />) },
    { name: 'log_level', label: t('log_level'), cell: ({ log_level }) => log_level ?? '—' },
    { name: 'started_at', label: t('started'), cell: (instance) => <Times instance={instance} /> },
  ];
}

function Host({ instance: { hostname, state, is_self } }: { instance: InstanceDto }): JSX.Element {
  return (
    <div class="stack tight">
      <bdi>{hostname ?? '—'}</bdi>
      <div>
        <Badge tone={TONES[state]}>{t(`state_${state}`)}</Badge>
      </div>
      {is_self && <span class="soft">{t('this_instance')}</span>}
    </div>
  );
}

function Version({ instance: { version, commit, node, config_hash } }: { instance: InstanceDto }): JSX.Element {
  return (
    <div class="stack tight">
      <span>{[version ?? '—', commit?.slice(0, 8)].filter(Boolean).join(' · ')}</span>
      <span class="soft">
        {[node && `Node ${node.slice(1)}`, config_hash?.slice(0, 8)].filter(Boolean).join(' · ')}
      </span>
    </div>
  );
}

function Load({ instance: { load, leases } }: { instance: InstanceDto }): JSX.Element {
  if (load === null) return <>—</>;
  const { replies, requests_per_minute, cpu, rss_bytes, connections } = load;
  return (
    <div class="stack tight">
      <span>{t('replies', { count: replies })}</span>
      <span class="soft">
        {[
          t('requests_per_minute', { count: requests_per_minute }),
          t('connections', { count: connections }),
          t('cpu', { share: formatNumber(cpu, { style: 'percent' }) }),
          formatMegabytes(rss_bytes),
        ].join(' · ')}
      </span>
      {leases.length > 0 && <span class="soft">{`${t('leases')}: ${leases.join(', ')}`}</span>}
    </div>
  );
}

function Times({ instance: { started_at, seen_at } }: { instance: InstanceDto }): JSX.Element {
  return (
    <div class="stack tight">
      <span>{formatTime(started_at)}</span>
      <span class="soft">{`${t('seen')}: ${formatTime(seen_at)}`}</span>
    </div>
  );
}

function Lag({ lag: { database_ms, clock_ms, event_loop_ms } }: { lag: NonNullable<InstanceDto['lag']> }): JSX.Element {
  return (
    <span>
      {[
        t('lag_database', { time: formatDuration(database_ms) }),
        t('lag_clock', { time: formatDuration(clock_ms) }),
        t('lag_event_loop', { time: formatDuration(event_loop_ms) }),
      ].join(' · ')}
    </span>
  );
}

interface LevelDialogProps {
  instances: InstanceDto[];
  onClose: () => void;
  onDone: () => void;
}

function LevelDialog({ instances, onClose, onDone }: LevelDialogProps): JSX.Element {
  const running = instances.filter(({ state }) => state !== 'lost');
  const set = async (entries: FormData): Promise<void> => {
    const { message } = await api.admin.logLevel.update({
      body: {
        level: textOf(entries, 'level') as (typeof LEVELS)[number],
        instance_id: textOf(entries, 'instance_id') || null,
        minutes: Number(textOf(entries, 'minutes')),
      },
    });
    toast(message);
    onClose();
    onDone();
  };
  return (
    <Dialog title={t('set_log_level')} onClose={onClose}>
      <p class="soft">{t('log_level_hint')}</p>
      <Form action={t('set_log_level')} onSubmit={set}>
        <Select
          name="level"
          label={t('log_level')}
          value="debug"
          choices={LEVELS.map((value) => ({ value, label: value }))}
        />
        <Select
          name="instance_id"
          label={t('instance')}
          choices={[
            { value: '', label: t('all_instances') },
            ...running.map(({ id, hostname }) => ({ value: id, label: `${hostname ?? ''} ${id.slice(0, 8)}` })),
          ]}
        />
        <TextField name="minutes" type="number" min={1} max={1440} required label={t('minutes')} defaultValue="60" />
      </Form>
    </Dialog>
  );
}

function BundleDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const create = async (entries: FormData): Promise<void> => {
    const body = { reason: textOf(entries, 'reason'), hours: Number(textOf(entries, 'hours')) };
    saveFile(await api.admin.supportBundle.create({ body }), 'support-bundle.zip');
    onClose();
  };
  return (
    <Dialog title={t('support_bundle')} onClose={onClose}>
      <p class="soft">{t('support_bundle_hint')}</p>
      <Form action={t('download_bundle')} onSubmit={create}>
        <TextArea name="reason" label={t('reason')} hint={t('reason_hint')} required minLength={3} maxLength={500} />
        <TextField name="hours" type="number" min={1} max={72} required label={t('hours')} defaultValue="24" />
      </Form>
    </Dialog>
  );
}

/** The variables of the instance that answers. The defaults are hidden at first, because there are a hundred. */
function Configuration(): JSX.Element {
  const [shows, setShows] = useState<'set' | 'all'>('set');
  const loaded = useLoad(async () => (await api.admin.config.list()).data, []);
  return (
    <section class="stack">
      <h2>{t('configuration')}</h2>
      <p class="soft">{t('configuration_hint')}</p>
      <div>
        <Button onClick={() => setShows(shows === 'set' ? 'all' : 'set')}>
          {t(shows === 'set' ? 'show_all_variables' : 'show_set_variables')}
        </Button>
      </div>
      <Show loaded={loaded}>
        {(variables) => (
          <TableRows
            label={t('configuration')}
            columns={variableColumns()}
            rows={variables.filter(({ is_set }) => is_set || shows === 'all')}
            rowKey={({ name }) => name}
          />
        )}
      </Show>
    </section>
  );
}

function variableColumns(): Column<VariableDto>[] {
  return [
    { name: 'name', label: t('variable'), cell: ({ name }) => <code>{name}</code> },
    {
      name: 'value',
      label: t('value'),
      cell: ({ value, is_secret, is_set }) => (is_secret && is_set ? t('secret') : <bdi>{value ?? '—'}</bdi>),
    },
    { name: 'source', label: t('source'), cell: ({ source }) => t(`source_${source}`) },
  ];
}
