import { type AdminUserDto, isApiError } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link, useParams, useSearchParams } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { CostLink, UsageLink } from '../../../components/admin/links';
import { UsagePlots } from '../../../components/admin/usage-plots';
import { Facts } from '../../../components/facts';
import { Figures } from '../../../components/figures';
import { costFormat, costHeight, SMALLEST_COST } from '../../../components/money/plotted-cost';
import { Page } from '../../../components/page/page';
import { Plot } from '../../../components/plot/plot';
import { Show } from '../../../components/states';
import { Time } from '../../../components/time';
import { UserText } from '../../../components/user-text';
import { UserActions } from './user-actions';
import { MembershipBadge, StatusBadge } from './user-badges';
import { AccessForm, LimitsForm } from './user-form';
import { UserKeys } from './user-keys';
import { UserSessions } from './user-sessions';

const t = texts('manage');
const admin = texts('admin');
const company = texts('company');

const TABS = ['usage', 'limits', 'keys', 'sessions', 'access'] as const;
type Tab = (typeof TABS)[number];

/** A closed account has no use, limits and sessions; a service account has no sessions. */
function tabsOf({ status, user_type }: AdminUserDto): readonly Tab[] {
  if (status === 'closed') return ['keys', 'access'];
  return user_type === 'service' ? TABS.filter((tab) => tab !== 'sessions') : TABS;
}

/** The page of an account: its state and actions, and tabs with everything else. */
export function User(): JSX.Element {
  const id = Number(useParams<{ id: string }>().id);
  const loaded = useLoad(() => readUser(id), [id]);
  const user = loaded.data;
  return (
    <Page
      title={user?.username ?? t('user_number', { id: String(id) })}
      actions={user && <UserActions user={user} onChange={loaded.reload} />}
    >
      <Show loaded={loaded}>
        {(shown) => (
          <>
            <UserState user={shown} />
            <Tabs user={shown} onChange={loaded.reload} />
          </>
        )}
      </Show>
    </Page>
  );
}

function UserState({ user }: { user: AdminUserDto }): JSX.Element {
  return (
    <div class="stack tight">
      <div class="row">
        <StatusBadge status={user.status} />
        <MembershipBadge user={user} />
        <span class="soft">{user.user_type === 'service' ? t('type_service') : <UserText>{user.email}</UserText>}</span>
      </div>
      {(user.ban_reason ?? user.banned_until ?? user.erase_at) && (
        <Facts
          facts={[
            user.ban_reason && [t('ban_reason'), <UserText key="why">{user.ban_reason}</UserText>],
            user.banned_until && [t('banned_until'), <Time key="until" at={user.banned_until} />],
            user.erase_at && [t('erase_at'), <Time key="erase" at={user.erase_at} />],
          ]}
        />
      )}
    </div>
  );
}

function Tabs({ user, onChange }: { user: AdminUserDto; onChange: () => void }): JSX.Element {
  const [parameters] = useSearchParams();
  const tabs = tabsOf(user);
  const tab = tabs.find((name) => name === parameters.get('tab')) ?? tabs[0];
  return (
    <>
      <nav class="tabs" aria-label={user.username}>
        {tabs.map((name) => (
          <Link
            key={name}
            href={`/admin/users/${user.id}?tab=${name}`}
            aria-current={tab === name ? 'page' : undefined}
          >
            {t(`user_tab_${name}`)}
          </Link>
        ))}
      </nav>
      {tab === 'usage' && <UserUsage id={user.id} />}
      {tab === 'limits' && <LimitsForm key={user.updated_at} user={user} onChange={onChange} />}
      {tab === 'keys' && <UserKeys user={user} />}
      {tab === 'sessions' && <UserSessions user={user} onChange={onChange} />}
      {tab === 'access' && (
        <>
          <UserFacts user={user} />
          {user.status !== 'closed' && <AccessForm key={user.updated_at} user={user} onChange={onChange} />}
        </>
      )}
    </>
  );
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
    <Facts
      facts={[
        [t('number'), String(user.id)],
        user.membership_expires_at && [t('membership_end'), <Time key="end" at={user.membership_expires_at} />],
        user.mapped_user_type && [company('mapped_user_type'), t(`type_${user.mapped_user_type}`)],
        user.mapped_membership_type && [company('mapped_membership'), t(`plan_${user.mapped_membership_type}`)],
        [admin('created_at'), <Time key="created" at={user.created_at} />],
        [admin('page_chats'), formatNumber(user.chats)],
        [admin('messages'), formatNumber(user.messages)],
        [admin('tokens'), formatNumber(user.tokens)],
      ]}
    />
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
              [admin('messages'), formatNumber(total.messages)],
              [admin('tokens'), formatNumber(total.tokens)],
              [admin('chats'), formatNumber(total.chats)],
              [admin('failed_replies'), formatNumber(total.failed_replies)],
            ]}
          />
          {total.cost !== null && (
            <Plot
              title={admin('cost')}
              kind="days"
              keys={days.map(({ date }) => date)}
              series={[{ label: admin('cost'), values: days.map(({ cost }) => costHeight(cost)) }]}
              format={costFormat(currency)}
              smallestStep={SMALLEST_COST}
            />
          )}
          <UsagePlots days={days} />
        </section>
      )}
    </Show>
  );
}
