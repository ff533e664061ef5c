import type { AdminUserDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { Button } from '../../../components/button';
import { confirm } from '../../../components/dialog';
import { Facts } from '../../../components/facts';
import { Time } from '../../../components/time';

const t = texts('manage');

/** When the user was here, and the end of all sessions. */
export function UserSessions({ user, onChange }: { user: AdminUserDto; onChange: () => void }): JSX.Element {
  const signOut = async (): Promise<void> => {
    const question = { title: t('sign_out_everywhere'), text: t('sign_out_hint'), action: t('sign_out') };
    if (!(await confirm({ ...question, isDangerous: true }))) return;
    if (await attempt(() => api.admin.users.revokeSessions({ path: { id: user.id } }))) toast(t('signed_out'));
    onChange();
  };
  return (
    <section class="stack">
      <Facts
        facts={[
          [t('last_login'), <Time key="login" at={user.last_login_at} />],
          [t('last_activity'), <Time key="activity" at={user.last_activity_at} />],
        ]}
      />
      <p class="soft">{t('sign_out_hint')}</p>
      <div class="row">
        <Button onClick={() => void signOut()}>{t('sign_out_everywhere')}</Button>
      </div>
    </section>
  );
}
