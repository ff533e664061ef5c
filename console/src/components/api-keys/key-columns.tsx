import type { AdminApiKeyDto } from 'chat-service-client';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { KeyLink, UserLink } from '../admin/links';
import { Badge } from '../badge';
import { Button } from '../button';
import { confirm } from '../dialog';
import type { Column } from '../table/table';
import { Time } from '../time';
import { UserText } from '../user-text';

const t = texts('admin');

const TONES = { active: 'success', suspended: 'warning', expired: 'warning', revoked: '' } as const;

/** Table columns of API keys, including the revoke action. */
export function keyColumns(onChange: () => void): Column<AdminApiKeyDto>[] {
  return [
    {
      name: 'name',
      label: t('name'),
      isSortable: true,
      cell: ({ id, name, prefix, last_four }) => (
        <>
          <KeyLink id={id}>
            <UserText>{name}</UserText>
          </KeyLink>
          <code class="key-ends">
            {prefix}…{last_four}
          </code>
        </>
      ),
    },
    {
      name: 'user_id',
      label: t('owner'),
      isSortable: true,
      cell: ({ user_id, username }) => <UserLink id={user_id} name={username} />,
    },
    { name: 'scopes', label: t('scopes'), cell: ({ scopes }) => <code>{scopes.join(' ')}</code> },
    {
      name: 'status',
      label: t('status'),
      cell: ({ status }) => <Badge tone={TONES[status]}>{t(`key_${status}`)}</Badge>,
    },
    {
      name: 'created_at',
      label: t('created_at'),
      isSortable: true,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      name: 'last_used_at',
      label: t('last_used_at'),
      isSortable: true,
      cell: ({ last_used_at }) => <Time at={last_used_at} />,
    },
    {
      name: 'expires_at',
      label: t('expires_at'),
      isSortable: true,
      cell: ({ expires_at }) => <Time at={expires_at} />,
    },
    {
      name: 'actions',
      label: t('actions'),
      cell: (key) =>
        key.status !== 'revoked' && (
          <Button kind="danger" onClick={() => void revoke(key, onChange)}>
            {t('revoke')}
          </Button>
        ),
    },
  ];
}

async function revoke({ id, name }: AdminApiKeyDto, onChange: () => void): Promise<void> {
  const question = { title: t('revoke_key', { name }), text: t('revoke_hint'), action: t('revoke'), isDangerous: true };
  if (!(await confirm(question))) return;
  if (await attempt(() => api.admin.apiKeys.revoke({ path: { id } }))) toast(t('key_is_revoked', { name }));
  onChange();
}
