import type { FailedReplyDto, ModelRepliesDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatDuration, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { agentChoices, useAgents } from '../../../components/admin/agents';
import { AgentLink, UserLink } from '../../../components/admin/links';
import { userEntry } from '../../../components/admin/look-ups';
import { Dialog } from '../../../components/dialog';
import { Menu } from '../../../components/menu';
import { Page } from '../../../components/page/page';
import { Show } from '../../../components/states';
import { listOf } from '../../../components/table/list-of';
import { period } from '../../../components/table/period';
import { type Column, DataTable } from '../../../components/table/table';
import { TableRows } from '../../../components/table/table-rows';
import { Time } from '../../../components/time';
import { TraceOf } from '../../../components/trace/trace-of';
import { UserText } from '../../../components/user-text';
import { useTrial } from './use-trial';

const t = texts('replies');
const admin = texts('admin');

const failures = listOf('failed-replies', api.admin.replies, 'list');

/** Failed replies with their reasons, and the failure rate of models. */
export function Failures(): JSX.Element {
  const [traced, setTraced] = useState<FailedReplyDto>();
  const agents = useAgents();
  const trial = useTrial();
  const actionsOf = (reply: FailedReplyDto): JSX.Element => {
    const { provider, model } = reply;
    return (
      <Menu
        label={t('actions_of', { id: String(reply.id) })}
        items={[
          ...(reply.chat_id === null
            ? []
            : [{ label: t('trace'), icon: 'info' as const, onSelect: () => setTraced(reply) }]),
          ...(provider === null
            ? []
            : [
                {
                  label: t('try_model'),
                  icon: 'refresh' as const,
                  onSelect: () => void trial.begin(provider, model ?? undefined),
                },
              ]),
        ]}
      />
    );
  };
  return (
    <Page title={admin('page_failures')}>
      <p class="soft">{t('failures_hint')}</p>
      <ByModel />
      <DataTable
        {...failures}
        isKeyset
        label={admin('page_failures')}
        filters={[
          { name: 'user_id', label: admin('user'), entry: userEntry },
          { name: 'agent_id', label: admin('agent'), choices: agentChoices(agents) },
          { name: 'provider', label: t('provider') },
          { name: 'model', label: admin('model') },
          { name: 'code', label: t('code') },
          ...period(),
        ]}
        columns={[
          {
            name: 'id',
            label: admin('time'),
            isSortable: true,
            cell: ({ failed_at }) => <Time at={failed_at} />,
          },
          {
            name: 'user',
            label: admin('user'),
            cell: ({ user_id, username }) => <UserLink id={user_id} name={username} />,
          },
          {
            name: 'agent',
            label: admin('agent'),
            cell: ({ agent_id, agent_name }) => (
              <AgentLink id={agent_id} agents={agent_name === null ? [] : [{ id: agent_id, name: agent_name }]} />
            ),
          },
          { name: 'model', label: admin('model'), cell: (reply) => <Asked reply={reply} /> },
          { name: 'said', label: t('said'), cell: (reply) => <Said reply={reply} /> },
          { name: 'actions', label: admin('actions'), cell: actionsOf },
        ]}
        rowKey={({ id }) => id}
        empty={<p>{t('no_failures')}</p>}
      />
      {traced && (
        <Dialog title={t('trace')} onClose={() => setTraced(undefined)}>
          <TraceOf
            id={traced.message_id}
            load={async () => (await api.admin.messages.readTrace({ path: { message_id: traced.message_id } })).data}
          />
        </Dialog>
      )}
      {trial.dialog}
    </Page>
  );
}

function Asked({ reply: { provider, model } }: { reply: FailedReplyDto }): JSX.Element {
  return <UserText>{[provider, model].filter(Boolean).join(' · ') || '—'}</UserText>;
}

function Said({ reply: { code, provider_status, provider_message } }: { reply: FailedReplyDto }): JSX.Element {
  return (
    <div class="stack tight said">
      <code>{[provider_status, code].filter((part) => part !== null).join(' ')}</code>
      {provider_message && <UserText>{provider_message}</UserText>}
    </div>
  );
}

const MODEL_COLUMNS = (): Column<ModelRepliesDto>[] => [
  {
    name: 'model',
    label: admin('model'),
    cell: ({ model }) => (
      <Link href={`/admin/failures?model=${encodeURIComponent(model)}`}>
        <bdi>{model}</bdi>
      </Link>
    ),
  },
  { name: 'replies', label: admin('replies'), isNumber: true, cell: ({ replies }) => formatNumber(replies) },
  {
    name: 'failed',
    label: admin('failed_replies'),
    isNumber: true,
    cell: ({ failed, failed_share }) =>
      `${formatNumber(failed)} (${formatNumber(failed_share, { style: 'percent', maximumFractionDigits: 1 })})`,
  },
  {
    name: 'p50',
    label: t('p50'),
    isNumber: true,
    cell: ({ first_token_p50_ms }) => formatDuration(first_token_p50_ms),
  },
  {
    name: 'p95',
    label: t('p95'),
    isNumber: true,
    cell: ({ first_token_p95_ms }) => formatDuration(first_token_p95_ms),
  },
];

/** The results of each model in the last day. */
function ByModel(): JSX.Element {
  const loaded = useLoad(async () => (await api.admin.replies.byModel()).data, []);
  return (
    <Show loaded={loaded}>
      {(models) =>
        models.length > 0 && (
          <section class="stack tight">
            <h2>{t('by_model')}</h2>
            <TableRows label={t('by_model')} columns={MODEL_COLUMNS()} rows={models} rowKey={({ model }) => model} />
          </section>
        )
      }
    </Show>
  );
}
