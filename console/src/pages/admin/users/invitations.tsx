import type { InvitationDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { useLoad } from '../../../app/use-load';
import { useGroups } from '../../../components/admin/groups';
import { UserLink } from '../../../components/admin/links';
import { Button } from '../../../components/button';
import { Dialog } from '../../../components/dialog';
import { choicesOf } from '../../../components/form/choices';
import { Checkbox, CheckboxGroup, Form, Select, TextField, textOf } from '../../../components/form/form';
import { Secret } from '../../../components/secret';
import { Show } from '../../../components/states';
import { MEMBERSHIPS } from './user-badges';

const t = texts('manage');
const admin = texts('admin');

/** Lifetimes of an invitation, in days. */
const DAYS = [1, 7, 30];

/** Creates and revokes invitation links. Each link allows one registration. */
export function Invitations({ onClose }: { onClose: () => void }): JSX.Element {
  const [link, setLink] = useState<string>();
  const loaded = useLoad(async () => (await api.admin.invitations.list({ query: { size: 100 } })).data.items, []);

  const invite = async (entries: FormData): Promise<void> => {
    const milliseconds = Number(textOf(entries, 'days')) * 86_400_000;
    const email = textOf(entries, 'email').trim() || null;
    const groups = entries.getAll('group_ids').map(Number);
    const { data } = await api.admin.invitations.create({
      body: {
        email,
        membership_type: textOf(entries, 'membership_type') as InvitationDto['membership_type'],
        expires_at: new Date(Date.now() + milliseconds).toISOString(),
        ...(groups.length > 0 && { group_ids: groups }),
        ...(entries.has('send') && { send: true }),
      },
    });
    if (entries.has('send')) toast(t('invitation_sent', { email: email ?? '' }));
    setLink(data.url);
    loaded.reload();
  };
  const takeBack = async ({ id }: InvitationDto): Promise<void> => {
    await attempt(async () => toast((await api.admin.invitations.remove({ path: { id } })).message));
    loaded.reload();
  };

  return (
    <Dialog title={t('invite')} onClose={onClose}>
      <p class="soft">{t('invite_hint')}</p>
      {link ? (
        <>
          <Secret key={link} label={t('invitation_link')} value={link} warning={t('invitation_once')} />
          <div class="row end">
            <Button icon="plus" onClick={() => setLink(undefined)}>
              {t('invite_another')}
            </Button>
          </div>
        </>
      ) : (
        <NewInvitation onSubmit={invite} />
      )}
      <h3>{t('invitations')}</h3>
      <Show loaded={loaded}>{(invitations) => <Open invitations={invitations} onTakeBack={takeBack} />}</Show>
    </Dialog>
  );
}

function NewInvitation({ onSubmit }: { onSubmit: (entries: FormData) => Promise<void> }): JSX.Element {
  const groups = useGroups();
  return (
    <Form action={t('invite_make')} onSubmit={onSubmit}>
      <TextField name="email" type="email" label={t('email')} hint={t('invite_email_hint')} autoComplete="off" />
      <Checkbox name="send" label={t('invite_send')} />
      <Select
        name="membership_type"
        label={t('membership')}
        choices={choicesOf(MEMBERSHIPS, (name) => t(`plan_${name}`))}
      />
      <Select
        name="days"
        label={t('invitation_ends')}
        value="7"
        choices={DAYS.map((count) => ({ value: String(count), label: t('invitation_days', { count }) }))}
      />
      {groups && groups.length > 0 && (
        <CheckboxGroup name="group_ids" label={admin('page_groups')} hint={t('invite_groups_hint')}>
          {groups.map(({ id, name }) => (
            <Checkbox key={id} name="group_ids" value={String(id)} label={name} />
          ))}
        </CheckboxGroup>
      )}
    </Form>
  );
}

interface OpenProps {
  invitations: InvitationDto[];
  onTakeBack: (invitation: InvitationDto) => Promise<void>;
}

function Open({ invitations, onTakeBack }: OpenProps): JSX.Element {
  if (invitations.length === 0) return <p class="soft">{t('no_invitations')}</p>;
  return (
    <ul class="plain-list stack">
      {invitations.map((invitation) => (
        <li key={invitation.id} class="row spread">
          <span>
            <bdi>{invitation.email ?? t('invitation_for_anybody')}</bdi> · {t(`plan_${invitation.membership_type}`)} ·{' '}
            {t('invitation_until', { time: formatTime(invitation.expires_at) })} ·{' '}
            <span>
              {t('invitation_by')} <UserLink id={invitation.created_by} />
            </span>
          </span>
          <Button kind="danger" onClick={() => void onTakeBack(invitation)}>
            {t('take_back')}
          </Button>
        </li>
      ))}
    </ul>
  );
}
