import '../../styles/admin.css';
import type { JSX } from 'preact';
import { Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { Layout, SideLinks } from '../../components/page/layout';
import { lazy } from '../../components/page/lazy';
import { Page } from '../../components/page/page';
import { texts } from '../i18n/languages';
import type * as Insight from './insight-pages';
import type * as Management from './management-pages';
import type * as Money from './money-pages';
import type * as Servers from './server-pages';

const t = texts('admin');
const shell = texts('shell');

const lazyInsight = (name: keyof typeof Insight): (() => JSX.Element) =>
  lazy(async () => (await import('./insight-pages'))[name]);
const lazyManagement = (name: keyof typeof Management): (() => JSX.Element) =>
  lazy(async () => (await import('./management-pages'))[name], 'manage', 'webhooks', 'account', 'company', 'acting');
const lazyMoney = (name: keyof typeof Money): (() => JSX.Element) =>
  lazy(async () => (await import('./money-pages'))[name], 'manage', 'money');
const lazyServers = (name: keyof typeof Servers): (() => JSX.Element) =>
  lazy(async () => (await import('./server-pages'))[name], 'manage', 'company', 'acting', 'questions', 'servers');

const lazyFailures = lazy(async () => (await import('./management-pages')).Failures, 'manage', 'replies');

const PAGES = [
  ['/admin/overview', lazyInsight('Overview')],
  ['/admin/usage', lazyInsight('Usage')],
  ['/admin/feedback', lazyInsight('Feedback')],
  ['/admin/failures', lazyFailures],
  ['/admin/budgets', lazyMoney('Budgets')],
  ['/admin/costs', lazyMoney('Costs')],
  ['/admin/prices', lazyMoney('Prices')],
  ['/admin/users', lazyManagement('Users')],
  ['/admin/users/:id', lazyManagement('User')],
  ['/admin/groups', lazyManagement('Groups')],
  ['/admin/groups/:id', lazyManagement('Group')],
  ['/admin/keys', lazyInsight('Keys')],
  ['/admin/chats', lazyInsight('Chats')],
  ['/admin/chats/:id', lazyInsight('ChatContent')],
  ['/admin/agents', lazyManagement('Agents')],
  ['/admin/agents/new', lazyManagement('NewAgent')],
  ['/admin/agents/:id', lazyManagement('Agent')],
  ['/admin/tools', lazyManagement('Tools')],
  ['/admin/servers', lazyServers('Servers')],
  ['/admin/servers/new', lazyServers('NewServer')],
  ['/admin/servers/:id', lazyServers('Server')],
  ['/admin/providers', lazyManagement('Providers')],
  ['/admin/models', lazyManagement('Models')],
  ['/admin/plans', lazyManagement('Plans')],
  ['/admin/sign-in', lazyManagement('IdentityProviders')],
  ['/admin/sign-in/new', lazyManagement('NewIdentityProvider')],
  ['/admin/sign-in/:id', lazyManagement('IdentityProvider')],
  ['/admin/settings', lazyManagement('Settings')],
  ['/admin/webhooks', lazyManagement('AllWebhooks')],
  ['/admin/webhooks/:id', lazyManagement('Webhook')],
  ['/admin/audit', lazyInsight('Audit')],
  ['/admin/health', lazyInsight('Health')],
] as const;

export const GROUPS = {
  group_usage: ['overview', 'usage', 'costs', 'failures', 'feedback'],
  group_money: ['budgets', 'prices'],
  group_people: ['users', 'groups', 'keys', 'chats'],
  group_answers: ['agents', 'tools', 'servers', 'providers', 'models'],
  group_service: ['plans', 'sign-in', 'settings', 'webhooks', 'audit', 'health'],
} as const;

/** The administration pages in two groups: status and settings. */
export function Administration(): JSX.Element {
  const [path] = useLocation();
  return (
    <Layout aside={<Links />} asideLabel={shell('administration')}>
      {/* The key resets all state, such as a list of keys, between two users. */}
      <Switch key={path}>
        {PAGES.map(([path, component]) => (
          <Route key={path} path={path} component={component} />
        ))}
        <Route path="/admin">
          <Redirect to="/admin/overview" replace />
        </Route>
        <Route>
          <Page title={shell('no_such_page')}>{null}</Page>
        </Route>
      </Switch>
    </Layout>
  );
}

function Links(): JSX.Element {
  return (
    <>
      {(Object.keys(GROUPS) as (keyof typeof GROUPS)[]).map((group) => (
        <div key={group}>
          <p class="aside-heading">{t(group)}</p>
          <SideLinks links={GROUPS[group].map((page) => ({ href: `/admin/${page}`, label: t(`page_${page}`) }))} />
        </div>
      ))}
    </>
  );
}
