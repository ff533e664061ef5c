import type { AdminUserDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { toast } from '../../../app/toasts';
import { choicesOf } from '../../../components/form/choices';
import { bytesOf, instantOf, localTime, megabytesOf, numberOf, wordsOf } from '../../../components/form/entries';
import { Checkbox, Form, Select, TextArea, TextField, textOf } from '../../../components/form/form';
import { MEMBERSHIPS, USER_TYPES } from './user-badges';

const t = texts('manage');
const shell = texts('shell');
const company = texts('company');

/** The editable fields of an account. A saved change can be undone. */
export function UserForm({ user, onChange }: { user: AdminUserDto; onChange: () => void }): JSX.Element {
  const isPerson = user.user_type !== 'service';
  const save = async (entries: FormData): Promise<void> => {
    const expiry = instantOf(entries, 'membership_expires_at');
    const changes = {
      username: textOf(entries, 'username'),
      user_type: textOf(entries, 'user_type') as AdminUserDto['user_type'],
      membership_type: textOf(entries, 'membership_type') as AdminUserDto['membership_type'],
      quota_messages: numberOf(entries, 'quota_messages'),
      quota_tokens: numberOf(entries, 'quota_tokens'),
      quota_storage: bytesOf(entries, 'quota_storage', user.quota_storage),
      note: wordsOf(entries, 'note'),
      ...(isPerson && { local_login: entries.has('local_login') }),
      // The field has no seconds. An unchanged expiry is not sent, so it keeps its seconds.
      ...(localTime(expiry) !== localTime(user.membership_expires_at ?? null) && { membership_expires_at: expiry }),
    };
    await api.admin.users.update({ path: { id: user.id }, body: changed(changes, user) });
    toast(shell('saved'), { undo: () => void restore(user).then(onChange) });
    onChange();
  };

  const types = user.user_type === 'service' ? (['service'] as const) : USER_TYPES.slice(0, 2);
  return (
    <Form action={shell('save')} onSubmit={save}>
      <TextField name="username" label={t('username')} defaultValue={user.username} required autoComplete="off" />
      <Select
        name="user_type"
        label={t('user_type')}
        hint={t(`type_${user.user_type}_hint`)}
        choices={choicesOf(types, (name) => t(`type_${name}`))}
        value={user.user_type}
      />
      <Select
        name="membership_type"
        label={t('membership')}
        choices={choicesOf(MEMBERSHIPS, (name) => t(`plan_${name}`))}
        value={user.membership_type}
      />
      <TextField
        name="membership_expires_at"
        type="datetime-local"
        label={t('membership_end')}
        hint={t('membership_end_hint')}
        defaultValue={localTime(user.membership_expires_at ?? null)}
      />
      <TextField
        name="quota_messages"
        type="number"
        min={0}
        label={t('quota_messages')}
        hint={t('quota_hint')}
        defaultValue={user.quota_messages ?? ''}
      />
      <TextField
        name="quota_tokens"
        type="number"
        min={0}
        label={t('quota_tokens')}
        hint={t('quota_hint')}
        defaultValue={user.quota_tokens ?? ''}
      />
      <TextField
        name="quota_storage"
        type="number"
        min={0}
        step="any"
        label={t('storage_megabytes')}
        hint={t('quota_hint')}
        defaultValue={megabytesOf(user.quota_storage)}
      />
      {isPerson && (
        <>
          <Checkbox name="local_login" label={company('local_login')} checked={user.local_login} />
          <p class="soft">{company('local_login_hint')}</p>
        </>
      )}
      <TextArea name="note" label={t('note')} hint={t('note_hint')} defaultValue={user.note ?? ''} />
    </Form>
  );
}

/** Only changed fields are sent. Otherwise saving an unchanged paid plan would reset its expiry. */
function changed<Fields extends object>(fields: Fields, before: object): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== (before as Record<string, unknown>)[name]),
  ) as Partial<Fields>;
}

async function restore(user: AdminUserDto): Promise<void> {
  const { id, username, user_type, membership_type, membership_expires_at, note, local_login } = user;
  const { quota_messages, quota_tokens, quota_storage } = user;
  const quotas = { quota_messages, quota_tokens, quota_storage };
  const body = { username, user_type, membership_type, membership_expires_at, note, local_login, ...quotas };
  await api.admin.users.update({ path: { id }, body });
}
