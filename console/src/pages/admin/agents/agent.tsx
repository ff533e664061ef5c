import type { AgentAdminDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { Icon } from '../../../components/icon';
import { Menu } from '../../../components/menu';
import { Page } from '../../../components/page/page';
import { Show } from '../../../components/states';
import { type AgentEntries, AgentForm } from './agent-form';
import { AgentStatistics } from './agent-statistics';
import { AgentVersions } from './agent-versions';

const t = texts('manage');
const admin = texts('admin');
const shell = texts('shell');

const TABS = ['settings', 'versions', 'statistics'] as const;

export function NewAgent(): JSX.Element {
  const [isAdvanced, setIsAdvanced] = useState(false);
  const [, navigate] = useLocation();
  const create = async (body: AgentEntries): Promise<void> => {
    const { data } = await api.agents.create({ body });
    navigate(`/admin/agents/${data.id}`);
    toast(t('agent_created', { name: data.name }));
  };
  return (
    <Page title={t('create_agent')} actions={<BackLink />}>
      <AgentForm action={t('create')} isAdvanced={isAdvanced} onAdvanced={setIsAdvanced} onSave={create} />
    </Page>
  );
}

function BackLink(): JSX.Element {
  return (
    <Link href="/admin/agents" class="button">
      <Icon name="back" />
      {admin('page_agents')}
    </Link>
  );
}

/** The page of an agent: settings with a test, versions and statistics. */
export function Agent(): JSX.Element {
  const id = Number(useParams<{ id: string }>().id);
  const [parameters] = useSearchParams();
  const tab = TABS.find((name) => name === parameters.get('tab')) ?? 'settings';
  const [isAdvanced, setIsAdvanced] = useState(false);
  const loaded = useLoad(async () => (await api.agents.read({ path: { id } })).data as AgentAdminDto, [id]);
  const agent = loaded.data;

  const save = async (body: AgentEntries): Promise<void> => {
    await api.agents.update({ path: { id }, body: { ...body, version: agent?.version } });
    toast(shell('saved'));
    loaded.reload();
  };

  return (
    <Page
      title={agent?.name ?? admin('agent')}
      actions={
        <>
          <BackLink />
          {agent && <Actions agent={agent} />}
        </>
      }
    >
      <nav class="tabs" aria-label={agent?.name ?? admin('agent')}>
        {TABS.map((name) => (
          <Link key={name} href={`/admin/agents/${id}?tab=${name}`} aria-current={tab === name ? 'page' : undefined}>
            {t(`tab_${name}`)}
          </Link>
        ))}
      </nav>
      <Show loaded={loaded}>
        {(shown) => (
          <>
            {tab === 'settings' && (
              <AgentForm
                key={shown.version}
                agent={shown}
                action={shell('save')}
                isAdvanced={isAdvanced}
                onAdvanced={setIsAdvanced}
                onSave={save}
              />
            )}
            {tab === 'versions' && <AgentVersions agent={shown} onChange={loaded.reload} />}
            {tab === 'statistics' && <AgentStatistics id={id} />}
          </>
        )}
      </Show>
    </Page>
  );
}

function Actions({ agent: { id, name } }: { agent: AgentAdminDto }): JSX.Element {
  const [, navigate] = useLocation();
  const duplicate = (): Promise<unknown> =>
    attempt(async () => {
      const { data } = await api.agents.duplicate({ path: { id } });
      navigate(`/admin/agents/${data.id}`);
      toast(t('agent_created', { name: data.name }));
    });
  const remove = async (): Promise<void> => {
    const question = { title: t('delete_agent_title', { name }), text: t('delete_agent_hint') };
    if (!(await confirm({ ...question, action: t('delete'), isDangerous: true }))) return;
    if (await attempt(() => api.agents.remove({ path: { id } }))) {
      navigate('/admin/agents');
      toast(t('agent_deleted', { name }));
    }
  };
  return (
    <>
      <Button icon="copy" onClick={() => void duplicate()}>
        {t('duplicate')}
      </Button>
      <Menu
        label={admin('actions')}
        items={[{ label: t('delete'), icon: 'trash', isDangerous: true, onSelect: () => void remove() }]}
      />
    </>
  );
}
