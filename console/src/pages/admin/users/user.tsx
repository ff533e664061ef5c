import { type AdminUserDto, isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link, useParams } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { CostLink, UsageLink } from '../../../components/admin/links';
import { UsagePlots } from '../../../components/admin/usage-plots';
import { Button } from '../../../components/button';
import { Facts } from '../../../components/facts';
import { Figures } from '../../../components/figures';
import { Icon } from '../../../components/icon';
import { Page } from '../../../components/page/page';
import { Show } from '../../../components/states';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';
import { DANGER_ZONE, UserAccess } from './user-access';
import { MembershipBadge, StatusBadge } from './user-badges';
import { UserForm } from './user-form';
import { UserKeys } from './user-keys';

const t = texts('manage');
const admin = texts('admin');
const company = texts('company');

/** The page of an account: its data, usage and actions. */
export function User(): JSX.Element {
  const id = Number(useParams<{ id: string }>().id);
  const loaded = useLoad(() => readUser(id), [id]);
  return (
    <Page
      title={loaded.data?.username ?? t('user_number', { id: String(id) })}
      actions={
        <>
          <Link href="/admin/users" class="button">
            <Icon name="back" />
            {admin('page_users')}
          </Link>
          <Button kind="danger" icon="warning" onClick={goToDanger}>
            {t('danger_zone')}
          </Button>
        </>
      }
    >
      <Show loaded={loaded}>
        {(user) => (
          <>
            <UserFacts user={user} />
            {user.status !== 'closed' && <UserUsage id={id} />}
            {user.status !== 'closed' && (
              <section class="card stack">
                <h2>{t('edit')}</h2>
                <UserForm key={user.updated_at} user={user} onChange={loaded.reload} />
              </section>
            )}
            <UserKeys user={user} />
            <UserAccess user={user} onChange={loaded.reload} />
          </>
        )}
      </Show>
    </Page>
  );
}

/** Scrolls to the section that revokes access. */
function goToDanger(): void {
  const heading = document.getElementById(DANGER_ZONE);
  heading?.scrollIntoView({ block: 'start' });
  heading?.focus({ preventScroll: true });
}

/** Closed accounts are only in the list of closed accounts. */
async function readUser(id: number): Promise<AdminUserDto> {
  try {
    return (await api.admin.users.read({ path: { id } })).data;
  } catch (error) {
    if (!isApiError(error, 'USER_NOT_FOUND')) throw error;
    const { data } = await api.admin.users.list({ query: { q: String(id), status: 'closed', size: 100 } });
    const closed = data.items.find((user) => user.id === id);
    if (!closed) throw error;
    return closed;
  }
}

function UserFacts({ user }: { user: AdminUserDto }): JSX.Element {
  return (
    <div class="card">
      <Facts
        facts={[
          [admin('status'), <StatusBadge key="status" status={user.status} />],
          user.ban_reason && [t('ban_reason'), <UserText key="why">{user.ban_reason}</UserText>],
          user.banned_until && [t('banned_until'), <Time key="until" at={user.banned_until} />],
          user.erase_at && [t('erase_at'), <Time key="erase" at={user.erase_at} />],
          [t('number'), String(user.id)],
          [t('email'), user.user_type === 'service' ? '—' : user.email],
          [t('user_type'), t(`type_${user.user_type}`)],
          [
            t('membership'),
            <span key="membership" class="row">
              <MembershipBadge user={user} />
              {user.membership_expires_at && <Time at={user.membership_expires_at} />}
            </span>,
          ],
          user.mapped_user_type && [company('mapped_user_type'), t(`type_${user.mapped_user_type}`)],
          user.mapped_membership_type && [company('mapped_membership'), t(`plan_${user.mapped_membership_type}`)],
          [admin('created_at'), <Time key="created" at={user.created_at} />],
          [t('last_login'), <Time key="login" at={user.last_login_at} />],
          [t('last_activity'), <Time key="activity" at={user.last_activity_at} />],
          [admin('page_chats'), formatNumber(user.chats)],
          [admin('messages'), formatNumber(user.messages)],
          [admin('tokens'), formatNumber(user.tokens)],
        ]}
      />
    </div>
  );
}

function UserUsage({ id }: { id: number }): JSX.Element {
  const loaded = useLoad(async () => (await api.admin.users.usage({ path: { id } })).data, [id]);
  return (
    <Show loaded={loaded}>
      {({ days, total, currency, from, to }) => (
        <section class="stack">
          <div class="row spread">
            <h2>{t('last_30_days')}</h2>
            <UsageLink query={`user_id=${id}`} />
          </div>
          <Figures
            figures={[
              [admin('messages'), formatNumber(total.messages)],
              [admin('tokens'), formatNumber(total.tokens)],
              [admin('chats'), formatNumber(total.chats)],
              [admin('failed_replies'), formatNumber(total.failed_replies)],
              [
                admin('cost'),
                <CostLink
                  key="cost"
                  amount={total.cost}
                  currency={currency}
                  query={{ user_id: String(id), from, to }}
                />,
                total.unpriced > 0 && admin('unpriced_too', { number: formatNumber(total.unpriced) }),
              ],
            ]}
          />
          <UsagePlots days={days} />
        </section>
      )}
    </Show>
  );
}
