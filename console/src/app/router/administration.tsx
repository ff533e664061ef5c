import '../../styles/admin.css';
import '../../styles/parts/aside.css';
import '../../styles/parts/figures.css';
import '../../styles/parts/tabs.css';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { GROUP_ICONS } from '../../components/admin/group-icons';
import { Drawing, Icon } from '../../components/icon';
import { Layout } from '../../components/page/layout';
import { lazy } from '../../components/page/lazy';
import { Page } from '../../components/page/page';
import { SideLinks } from '../../components/page/side-links';
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

const lazyKnowledge = lazy(
  async () => (await import('./management-pages')).Knowledge,
  'manage',
  'company',
  'knowledge',
);

const lazyInstances = lazy(async () => (await import('./insight-pages')).Instances, 'operation');
const lazyGuards = lazy(async () => (await import('./management-pages')).Guards, 'manage', 'guards');
const lazyHolds = lazy(async () => (await import('./management-pages')).Holds, 'manage', 'company');

const lazyFailures = lazy(async () => (await import('./management-pages')).Failures, 'manage', 'replies');

const lazyRetention = lazy(async () => (await import('./management-pages')).Retention, 'manage', 'retention');

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
  ['/admin/sessions', lazyInsight('AdminSessions')],
  ['/admin/chats', lazyInsight('Chats')],
  ['/admin/chats/:id', lazyInsight('ChatContent')],
  ['/admin/agents', lazyManagement('Agents')],
  ['/admin/agents/new', lazyManagement('NewAgent')],
  ['/admin/agents/:id', lazyManagement('Agent')],
  ['/admin/tools', lazyManagement('Tools')],
  ['/admin/servers', lazyServers('Servers')],
  ['/admin/servers/new', lazyServers('NewServer')],
  ['/admin/servers/:id', lazyServers('Server')],
  ['/admin/guards', lazyGuards],
  ['/admin/knowledge', lazyKnowledge],
  ['/admin/providers', lazyManagement('Providers')],
  ['/admin/models', lazyManagement('Models')],
  ['/admin/plans', lazyManagement('Plans')],
  ['/admin/sign-in', lazyManagement('IdentityProviders')],
  ['/admin/sign-in/new', lazyManagement('NewIdentityProvider')],
  ['/admin/sign-in/:id', lazyManagement('IdentityProvider')],
  ['/admin/settings', lazyManagement('Settings')],
  ['/admin/webhooks', lazyManagement('AllWebhooks')],
  ['/admin/webhooks/:id', lazyManagement('Webhook')],
  ['/admin/holds', lazyHolds],
  ['/admin/retention', lazyRetention],
  ['/admin/audit', lazyInsight('Audit')],
  ['/admin/health', lazyInsight('Health')],
  ['/admin/instances', lazyInstances],
] as const;

export const GROUPS = {
  group_usage: ['overview', 'usage', 'costs', 'failures', 'feedback'],
  group_money: ['budgets', 'prices'],
  group_people: ['users', 'groups', 'keys', 'sessions', 'chats'],
  group_models: ['agents', 'knowledge', 'tools', 'servers', 'guards', 'providers', 'models'],
  group_service: ['plans', 'sign-in', 'settings', 'webhooks', 'retention', 'holds', 'audit', 'health', 'instances'],
} as const;

const CLOSED_AS = 'console-closed-groups';

/** The administration pages in five groups. */
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

/** The groups of pages. This browser remembers which ones the user has closed. */
function Links(): JSX.Element {
  const [closed, setClosed] = useState(() => (localStorage.getItem(CLOSED_AS) ?? '').split(' '));
  const keep = (group: string, isOpen: boolean): void => {
    const others = closed.filter((name) => name !== group);
    const kept = isOpen ? others : [...others, group];
    setClosed(kept);
    localStorage.setItem(CLOSED_AS, kept.join(' '));
  };
  return (
    <>
      {(Object.keys(GROUPS) as (keyof typeof GROUPS)[]).map((group) => {
        const links = GROUPS[group].map((page) => ({ href: `/admin/${page}`, label: t(`page_${page}`) }));
        return (
          <details
            key={group}
            class="nav-group"
            open={!closed.includes(group)}
            onToggle={(event) => {
              const { open } = event.currentTarget;
              if (open === closed.includes(group)) keep(group, open);
            }}
          >
            <summary>
              <Drawing path={GROUP_ICONS[group]} />
              {t(group)}
              <Icon name="descending" />
            </summary>
            <SideLinks links={links} />
          </details>
        );
      })}
    </>
  );
}
