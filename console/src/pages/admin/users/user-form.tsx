import type { AdminUserDto } from 'chat-service-client';
import type { ComponentChildren, JSX } from 'preact';
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

interface FormProps {
  user: AdminUserDto;
  onChange: () => void;
}

type Fields = Parameters<typeof api.admin.users.update>[0]['body'];

/** Some fields of an account. A saved change can be undone. */
function UserForm({
  user,
  onChange,
  read,
  children,
}: FormProps & { read: (entries: FormData) => Fields; children: ComponentChildren }): JSX.Element {
  const save = async (entries: FormData): Promise<void> => {
    await api.admin.users.update({ path: { id: user.id }, body: changed(read(entries), user) });
    toast(shell('saved'), { undo: () => void restore(user).then(onChange) });
    onChange();
  };
  return (
    <Form action={shell('save')} onSubmit={save}>
      {children}
    </Form>
  );
}

/** The plan and the quotas. */
export function LimitsForm({ user, onChange }: FormProps): JSX.Element {
  const read = (entries: FormData): Fields => {
    const expiry = instantOf(entries, 'membership_expires_at');
    return {
      membership_type: textOf(entries, 'membership_type') as AdminUserDto['membership_type'],
      quota_messages: numberOf(entries, 'quota_messages'),
      quota_tokens: numberOf(entries, 'quota_tokens'),
      quota_embedding_tokens: numberOf(entries, 'quota_embedding_tokens'),
      quota_storage: bytesOf(entries, 'quota_storage', user.quota_storage),
      // The field has no seconds. An unchanged expiry is not sent, so it keeps its seconds.
      ...(localTime(expiry) !== localTime(user.membership_expires_at ?? null) && { membership_expires_at: expiry }),
    };
  };
  return (
    <UserForm user={user} onChange={onChange} read={read}>
      <div class="fields">
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
      </div>
      <div class="fields">
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
          name="quota_embedding_tokens"
          type="number"
          min={0}
          label={t('embedding_tokens_per_day')}
          hint={t('quota_hint')}
          defaultValue={user.quota_embedding_tokens ?? ''}
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
      </div>
    </UserForm>
  );
}

/** The name, the rights and how the user signs in. */
export function AccessForm({ user, onChange }: FormProps): JSX.Element {
  const isPerson = user.user_type !== 'service';
  const types = isPerson ? USER_TYPES.slice(0, 2) : (['service'] as const);
  const read = (entries: FormData): Fields => ({
    username: textOf(entries, 'username'),
    user_type: textOf(entries, 'user_type') as AdminUserDto['user_type'],
    note: wordsOf(entries, 'note'),
    ...(isPerson && { local_login: entries.has('local_login') }),
  });
  return (
    <UserForm user={user} onChange={onChange} read={read}>
      <div class="fields">
        <TextField name="username" label={t('username')} defaultValue={user.username} required autoComplete="off" />
        <Select
          name="user_type"
          label={t('user_type')}
          hint={t(`type_${user.user_type}_hint`)}
          choices={choicesOf(types, (name) => t(`type_${name}`))}
          value={user.user_type}
        />
      </div>
      {isPerson && (
        <>
          <Checkbox name="local_login" label={company('local_login')} checked={user.local_login} />
          <p class="soft">{company('local_login_hint')}</p>
        </>
      )}
      <TextArea name="note" label={t('note')} hint={t('note_hint')} defaultValue={user.note ?? ''} />
    </UserForm>
  );
}

/** Only changed fields are sent. Otherwise saving an unchanged paid plan would reset its expiry. */
function changed(fields: Fields, before: object): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== (before as Record<string, unknown>)[name]),
  );
}

async function restore(user: AdminUserDto): Promise<void> {
  const { id, username, user_type, membership_type, membership_expires_at, note, local_login } = user;
  const { quota_messages, quota_tokens, quota_embedding_tokens, quota_storage } = user;
  const quotas = { quota_messages, quota_tokens, quota_embedding_tokens, quota_storage };
  const body = { username, user_type, membership_type, membership_expires_at, note, local_login, ...quotas };
  await api.admin.users.update({ path: { id }, body });
}
