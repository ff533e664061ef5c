import type { AdminUserDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatNumber, formatShort } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { UserLink } from '../../../components/admin/links';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { Form, Select, TextField, textOf } from '../../../components/form/form';
import { Page } from '../../../components/page/page';
import { choosable, type RowAction } from '../../../components/table/choosing';
import { listOf } from '../../../components/table/list-of';
import { DataTable } from '../../../components/table/table';
import { Time } from '../../../components/time';
import { Invitations } from './invitations';
import { MembershipBadge, MEMBERSHIPS, StatusBadge, USER_TYPES } from './user-badges';

const t = texts('manage');
const admin = texts('admin');

const users = listOf('users', api.admin.users, 'list');

export function Users(): JSX.Element {
  const [isCreating, setIsCreating] = useState(false);
  const [isInviting, setIsInviting] = useState(false);
  return (
    <Page
      title={admin('page_users')}
      actions={
        <>
          <Button icon="share" onClick={() => setIsInviting(true)}>
            {t('invite')}
          </Button>
          <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
            {t('create_user')}
          </Button>
        </>
      }
    >
      <DataTable
        {...users}
        label={admin('page_users')}
        filters={[
          { name: 'q', label: t('user_search') },
          { name: 'user_type', label: t('user_type'), choices: choicesOf(USER_TYPES, (name) => t(`type_${name}`)) },
          {
            name: 'membership_type',
            label: t('membership'),
            choices: choicesOf(MEMBERSHIPS, (name) => t(`plan_${name}`)),
          },
          {
            name: 'status',
            label: admin('status'),
            choices: choicesOf(['active', 'banned', 'suspended', 'closed'], (name) => t(`user_${name}`)),
          },
        ]}
        columns={[
          {
            name: 'username',
            label: t('username'),
            isSortable: true,
            cell: ({ id, username, user_type }) => (
              <>
                <UserLink id={id} name={username} />{' '}
                {user_type !== 'normal' && <Badge tone="accent">{t(`type_${user_type}`)}</Badge>}
              </>
            ),
          },
          {
            name: 'email',
            label: t('email'),
            isSortable: true,
            cell: (user) => (user.user_type === 'service' ? '—' : <Address of={user.email} />),
          },
          { name: 'membership', label: t('membership'), cell: (user) => <MembershipBadge user={user} /> },
          { name: 'status', label: admin('status'), cell: ({ status }) => <StatusBadge status={status} /> },
          {
            name: 'messages',
            label: admin('messages'),
            isSortable: true,
            isNumber: true,
            cell: ({ messages }) => formatNumber(messages),
          },
          {
            name: 'tokens',
            label: admin('tokens'),
            isSortable: true,
            isNumber: true,
            cell: ({ tokens }) => formatShort(tokens),
          },
          { name: 'activity', label: t('last_activity'), cell: (user) => <Time at={user.last_activity_at} /> },
          {
            name: 'created_at',
            label: admin('created_at'),
            isSortable: true,
            cell: ({ created_at }) => <Time at={created_at} />,
          },
        ]}
        rowKey={({ id }) => id}
        draw={choosable(actions(), ({ username }) => username)}
        empty={<p>{t('no_users')}</p>}
      />
      {isInviting && <Invitations onClose={() => setIsInviting(false)} />}
      {isCreating && <CreateUser onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

/** The address breaks only before the @, so it takes at most two lines. */
function Address({ of }: { of: string }): JSX.Element {
  const at = of.lastIndexOf('@') + 1;
  return (
    <>
      {of.slice(0, at)}
      <wbr />
      {of.slice(at)}
    </>
  );
}

/** Bulk actions for accounts. */
function actions(): RowAction<AdminUserDto>[] {
  return [
    {
      label: t('activate'),
      hint: t('activate_hint'),
      fits: ({ status }) => status === 'banned' || status === 'suspended',
      run: ({ id, status }) =>
        status === 'banned' ? api.admin.users.unban({ path: { id } }) : api.admin.users.reinstate({ path: { id } }),
    },
    {
      label: t('ban'),
      hint: t('ban_many_hint'),
      isDangerous: true,
      fits: ({ status }) => status === 'active' || status === 'suspended',
      asksFor: t('ban_reason'),
      run: ({ id }, reason) => api.admin.users.ban({ path: { id }, body: { reason } }),
    },
  ];
}

function CreateUser({ onClose }: { onClose: () => void }): JSX.Element {
  const [, navigate] = useLocation();
  const [type, setType] = useState<string>('normal');
  const isPerson = type !== 'service';

  const create = async (entries: FormData): Promise<void> => {
    const { data } = await api.admin.users.create({
      body: {
        user_type: type as AdminUserDto['user_type'],
        username: textOf(entries, 'username'),
        ...(isPerson && { email: textOf(entries, 'email'), password: textOf(entries, 'password') }),
        membership_type: textOf(entries, 'membership_type') as AdminUserDto['membership_type'],
      },
    });
    onClose();
    navigate(`/admin/users/${data.id}`);
    toast(t('user_created', { name: data.username }));
  };

  return (
    <Dialog title={t('create_user')} onClose={onClose}>
      <Form action={t('create')} onSubmit={create}>
        <Select
          name="user_type"
          label={t('user_type')}
          hint={t(`type_${type as AdminUserDto['user_type']}_hint`)}
          choices={choicesOf(USER_TYPES, (name) => t(`type_${name}`))}
          value={type}
          onChange={setType}
        />
        <TextField name="username" label={t('username')} required autoComplete="off" />
        {isPerson && (
          <>
            <TextField
              name="email"
              type="email"
              label={t('email')}
              hint={t('email_hint')}
              required
              autoComplete="off"
            />
            <TextField
              name="password"
              type="password"
              label={t('password')}
              hint={t('password_hint')}
              required
              autoComplete="new-password"
            />
          </>
        )}
        <Select
          name="membership_type"
          label={t('membership')}
          choices={choicesOf(MEMBERSHIPS, (name) => t(`plan_${name}`))}
        />
      </Form>
    </Dialog>
  );
}
