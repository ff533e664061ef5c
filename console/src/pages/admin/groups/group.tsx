import type { AgentAdminDto, GroupDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation, useParams } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { AgentLink } from '../../../components/admin/links';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { Facts } from '../../../components/facts';
import { Icon } from '../../../components/icon';
import { Menu } from '../../../components/menu';
import { Page } from '../../../components/page/page';
import { Show } from '../../../components/states';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';
import { GroupDialog } from './group-dialog';
import { Members } from './members';

const t = texts('company');
const admin = texts('admin');
const shell = texts('shell');
const manage = texts('manage');

/** The page of a group: its members, how they joined, and its agents. */
export function Group(): JSX.Element {
  const id = Number(useParams<{ id: string }>().id);
  const loaded = useLoad(async () => (await api.admin.groups.read({ path: { id } })).data, [id]);
  const group = loaded.data;
  return (
    <Page
      title={group?.name ?? t('group')}
      actions={
        <>
          <Link href="/admin/groups" class="button">
            <Icon name="back" />
            {admin('page_groups')}
          </Link>
          <Link href="/admin/usage?group_by=group" class="button">
            {admin('page_usage')}
          </Link>
          {group && <Actions group={group} onChange={loaded.reload} />}
        </>
      }
    >
      <Show loaded={loaded}>
        {(shown) => (
          <>
            <div class="card">
              <Facts
                facts={[
                  shown.description && [manage('description'), <UserText key="what">{shown.description}</UserText>],
                  [t('managed_by'), t(`source_${shown.managed_by}`)],
                  [t('members'), formatNumber(shown.member_count)],
                  [admin('created_at'), <Time key="created" at={shown.created_at} />],
                ]}
              />
            </div>
            <Members group={shown} onChange={loaded.reload} />
            <OpenAgents id={id} />
          </>
        )}
      </Show>
    </Page>
  );
}

function Actions({ group, onChange }: { group: GroupDto; onChange: () => void }): JSX.Element {
  const [, navigate] = useLocation();
  const [isEditing, setIsEditing] = useState(false);
  const { id, name } = group;
  const remove = async (): Promise<void> => {
    const question = { title: t('delete_title', { name }), text: t('delete_group_text'), action: manage('delete') };
    if (!(await confirm({ ...question, isDangerous: true }))) return;
    if (await attempt(() => api.admin.groups.remove({ path: { id } }))) {
      navigate('/admin/groups');
      toast(t('group_deleted', { name }));
    }
  };
  return (
    <>
      <Button icon="edit" onClick={() => setIsEditing(true)}>
        {manage('edit')}
      </Button>
      <Menu
        label={admin('actions')}
        items={[{ label: manage('delete'), icon: 'trash', isDangerous: true, onSelect: () => void remove() }]}
      />
      {isEditing && (
        <GroupDialog
          title={t('edit_group', { name })}
          action={shell('save')}
          group={group}
          onSave={async (body) => {
            await api.admin.groups.update({ path: { id }, body });
            toast(shell('saved'));
            setIsEditing(false);
            onChange();
          }}
          onClose={() => setIsEditing(false)}
        />
      )}
    </>
  );
}

/** Agents of any status that this group may use. */
function OpenAgents({ id }: { id: number }): JSX.Element {
  const loaded = useLoad(async () => {
    const found: AgentAdminDto[] = [];
    for await (const agent of api.agents.list({ query: { access_level: 'groups', size: 100 } })) {
      if ('group_ids' in agent && agent.group_ids.includes(id)) found.push(agent);
    }
    return found;
  }, [id]);
  return (
    <section class="stack">
      <h2>{admin('page_agents')}</h2>
      <p class="soft">{t('agents_text')}</p>
      <Show loaded={loaded}>
        {(agents) =>
          agents.length === 0 ? (
            <p>{t('no_group_agents')}</p>
          ) : (
            <ul class="bare stack tight">
              {agents.map((agent) => (
                <li key={agent.id} class="line">
                  <AgentLink id={agent.id} agents={agents} />
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </section>
  );
}
