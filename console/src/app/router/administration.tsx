import '../../styles/admin.css';
import type { JSX } from 'preact';
import { Redirect, Route, Switch } from 'wouter-preact';
import { Layout, SideLinks } from '../../components/page/layout';
import { lazy } from '../../components/page/lazy';
import { Page } from '../../components/page/page';
import { texts } from '../i18n/languages';
import type * as Own from './insight-pages';
import type * as Managing from './management-pages';

const t = texts('admin');
const shell = texts('shell');

const lazyOwn = (name: keyof typeof Own): (() => JSX.Element) =>
  lazy(async () => (await import('./insight-pages'))[name]);
const lazyManaging = (name: keyof typeof Managing): (() => JSX.Element) =>
  lazy(async () => (await import('./management-pages'))[name], 'manage', 'webhooks', 'account');

const PAGES = [
  ['/admin/overview', lazyOwn('Overview')],
  ['/admin/usage', lazyOwn('Usage')],
  ['/admin/feedback', lazyOwn('Feedback')],
  ['/admin/users', lazyManaging('Users')],
  ['/admin/users/:id', lazyManaging('User')],
  ['/admin/keys', lazyOwn('Keys')],
  ['/admin/chats', lazyOwn('Chats')],
  ['/admin/chats/:id', lazyOwn('ChatContent')],
  ['/admin/agents', lazyManaging('Agents')],
  ['/admin/agents/new', lazyManaging('NewAgent')],
  ['/admin/agents/:id', lazyManaging('Agent')],
  ['/admin/providers', lazyManaging('Providers')],
  ['/admin/models', lazyManaging('Models')],
  ['/admin/plans', lazyManaging('Plans')],
  ['/admin/settings', lazyManaging('Settings')],
  ['/admin/webhooks', lazyManaging('AllWebhooks')],
  ['/admin/webhooks/:id', lazyManaging('Webhook')],
  ['/admin/audit', lazyOwn('Audit')],
  ['/admin/health', lazyOwn('Health')],
] as const;

const GROUPS = {
  group_usage: ['overview', 'usage', 'feedback'],
  group_people: ['users', 'keys', 'chats'],
  group_answers: ['agents', 'providers', 'models'],
  group_service: ['plans', 'settings', 'webhooks', 'audit', 'health'],
} as const;

/** The pages of `pages/admin` and `pages/manage`; each of the two is loaded when one of its pages is shown. */
export function Administration(): JSX.Element {
  return (
    <Layout aside={<Links />} asideLabel={shell('administration')}>
      <Switch>
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
