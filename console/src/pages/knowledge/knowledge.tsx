import '../../styles/parts/knowledge.css';
import '../../styles/parts/tabs.css';
import type { JSX } from 'preact';
import { Route, Switch } from 'wouter-preact';
import { texts } from '../../app/i18n/languages';
import { Layout } from '../../components/page/layout';
import { Page } from '../../components/page/page';
import { Collection } from './collection';
import { Collections } from './collections';

const shell = texts('shell');

/** The user's collections of files, and those that others share with the user. */
export function Knowledge(): JSX.Element {
  return (
    <Layout>
      <Switch>
        <Route path="/knowledge" component={Collections} />
        <Route path="/knowledge/:id">{({ id }) => <Collection key={id} id={Number(id)} />}</Route>
        <Route>
          <Page title={shell('no_such_page')}>{null}</Page>
        </Route>
      </Switch>
    </Layout>
  );
}
