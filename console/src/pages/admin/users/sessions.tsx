import type { AdminSessionDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { UserLink } from '../../../components/admin/links';
import { userEntry } from '../../../components/admin/look-ups';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { Page } from '../../../components/page/page';
import { type Column, DataTable } from '../../../components/table/table';
import { useVersion } from '../../../components/table/use-version';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';

const t = texts('admin');

/** Sessions of all users: browsers, and command-line programs. */
export function AdminSessions(): JSX.Element {
  const [version, change] = useVersion();
  return (
    <Page title={t('page_sessions')}>
      <DataTable
        label={t('page_sessions')}
        version={version}
        load={async (query) => (await api.admin.sessions.list({ query: query as object })).data}
        filters={[
          { name: 'user_id', label: t('owner'), entry: userEntry },
          {
            name: 'kind',
            label: t('session_kind'),
            choices: choicesOf(['browser', 'device'], (kind) => t(`kind_${kind}`)),
          },
        ]}
        columns={columns(change)}
        rowKey={({ id }) => id}
        empty={<p>{t('no_sessions')}</p>}
      />
    </Page>
  );
}

function columns(onChange: () => void): Column<AdminSessionDto>[] {
  return [
    {
      name: 'user_id',
      label: t('owner'),
      cell: ({ user_id, username }) => <UserLink id={user_id} name={username} />,
    },
    { name: 'kind', label: t('session_kind'), cell: ({ kind }) => t(`kind_${kind}`) },
    { name: 'client', label: t('session_client'), cell: (session) => <UserText>{clientOf(session)}</UserText> },
    { name: 'scopes', label: t('scopes'), cell: ({ scopes }) => scopes && <code>{scopes.join(' ')}</code> },
    { name: 'address', label: t('address'), cell: ({ address }) => address },
    { name: 'created_at', label: t('created_at'), cell: ({ created_at }) => <Time at={created_at} /> },
    { name: 'last_used_at', label: t('last_used_at'), cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      name: 'actions',
      label: t('actions'),
      cell: (session) => (
        <Button kind="danger" onClick={() => void end(session, onChange)}>
          {t('end_session')}
        </Button>
      ),
    },
  ];
}

function clientOf({ client: { client_id, surface, device_name, user_agent } }: AdminSessionDto): string {
  const program = client_id ?? surface;
  return program === null ? (user_agent ?? '—') : [program, device_name].filter(Boolean).join(' · ');
}

async function end({ id, username }: AdminSessionDto, onChange: () => void): Promise<void> {
  const question = { title: t('end_session_title', { name: username }), text: t('end_session_hint') };
  if (!(await confirm({ ...question, action: t('end_session'), isDangerous: true }))) return;
  if (await attempt(() => api.admin.sessions.end({ path: { id } }))) toast(t('session_is_ended'));
  onChange();
}
