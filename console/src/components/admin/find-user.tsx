import type { AdminUserDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { texts } from '../../app/i18n/languages';
import { attempt } from '../../app/toasts';
import { Button } from '../button';
import { wordsOf } from '../form/entries';
import { Form, TextField } from '../form/form';
import { UserText } from '../user-text';

const t = texts('company');
const manage = texts('manage');

interface FindUserProps {
  /** The button next to each user, and its label for screen readers. */
  action: string;
  labelOf: (name: string) => string;
  onChoose: (user: AdminUserDto) => Promise<void>;
}

/** Searches for a user to choose. */
export function FindUser({ action, labelOf, onChoose }: FindUserProps): JSX.Element {
  const [found, setFound] = useState<AdminUserDto[]>();
  const find = async (entries: FormData): Promise<void> => {
    const query = { q: wordsOf(entries, 'q') ?? undefined, size: 10 };
    setFound((await api.admin.users.list({ query })).data.items);
  };
  return (
    <>
      <Form action={t('find')} onSubmit={find}>
        <TextField name="q" label={manage('user_search')} required autoComplete="off" />
      </Form>
      <div role="status">
        {found?.length === 0 && <p>{t('nobody_found')}</p>}
        {found !== undefined && found.length > 0 && (
          <ul class="bare stack tight">
            {found.map((user) => (
              <li key={user.id} class="row spread line">
                <span class="entry-text">
                  <UserText>{user.username}</UserText>{' '}
                  <span class="soft">{user.user_type === 'service' ? manage('type_service') : user.email}</span>
                </span>
                <Button aria-label={labelOf(user.username)} onClick={() => void attempt(() => onChoose(user))}>
                  {action}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}
