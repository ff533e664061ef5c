import type { AdminUserDto, GroupDto, GroupMemberDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { FindUser } from '../../../components/admin/find-user';
import { UserLink } from '../../../components/admin/links';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';

const t = texts('company');
const admin = texts('admin');
const manage = texts('manage');

/** The parameters come from the page's address. The service validates them. */
type Query = Parameters<typeof api.admin.groups.listMembers>[0]['query'];

interface MembersProps {
  group: GroupDto;
  /** Called when a member was added or removed. */
  onChange: () => void;
}

/** The members of a group, and who added them. */
export function Members({ group: { id, name }, onChange }: MembersProps): JSX.Element {
  const [version, change] = useVersion();
  const [isAdding, setIsAdding] = useState(false);
  const path = { id };
  const changed = (): void => {
    change();
    onChange();
  };
  const add = async (user: Pick<AdminUserDto, 'id' | 'username'>): Promise<void> => {
    await api.admin.groups.addMember({ path, body: { user_id: user.id } });
    toast(t('member_added', { name: user.username }));
    setIsAdding(false);
    changed();
  };
  const remove = async ({ user_id: userId }: GroupMemberDto): Promise<void> => {
    const undo = (): void =>
      void attempt(() => api.admin.groups.addMember({ path, body: { user_id: userId } })).then(changed);
    await attempt(async () => {
      const { message } = await api.admin.groups.removeMember({ path: { id, user_id: userId } });
      toast(message, { undo });
    });
    changed();
  };
  return (
    <section class="stack">
      <div class="row spread">
        <h2>{t('members')}</h2>
        <Button icon="plus" onClick={() => setIsAdding(true)}>
          {t('add_member')}
        </Button>
      </div>
      <p class="soft">{t('members_text')}</p>
      <DataTable
        label={t('members')}
        load={async (query) => (await api.admin.groups.listMembers({ path, query: query as Query })).data}
        version={version}
        columns={[
          {
            name: 'username',
            label: manage('username'),
            cell: (member) => <UserLink id={member.user_id} name={member.username} />,
          },
          { name: 'email', label: manage('email'), cell: ({ email }) => <UserText>{email}</UserText> },
          {
            name: 'sources',
            label: t('put_there_by'),
            cell: ({ sources }) => (
              <span class="row">
                {sources.map((source) => (
                  <Badge key={source}>{t(`source_${source}`)}</Badge>
                ))}
              </span>
            ),
          },
          { name: 'added_at', label: t('member_since'), cell: ({ added_at: at }) => <Time at={at} /> },
          {
            name: 'actions',
            label: admin('actions'),
            cell: (member) =>
              member.sources.includes('admin') && (
                <Button aria-label={`${t('take_out')}: ${member.username}`} onClick={() => void remove(member)}>
                  {t('take_out')}
                </Button>
              ),
          },
        ]}
        rowKey={({ user_id: userId }) => userId}
        empty={<p>{t('no_members')}</p>}
      />
      {isAdding && (
        <Dialog title={t('add_member_title', { name })} onClose={() => setIsAdding(false)}>
          <FindUser action={t('add')} labelOf={(name) => t('add_user', { name })} onChoose={add} />
        </Dialog>
      )}
    </section>
  );
}
