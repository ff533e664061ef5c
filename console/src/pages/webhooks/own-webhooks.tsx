import type { JSX } from 'preact';
import { Route, Switch } from 'wouter-preact';
import { WebhookList } from './webhook-list';
import { WebhookPage } from './webhook-page';

export function OwnWebhooks(): JSX.Element {
  return (
    <Switch>
      <Route path="/account/webhooks/:id">
        {({ id }) => <WebhookPage key={id} id={Number(id)} back="/account/webhooks" />}
      </Route>
      <Route>
        <WebhookList base="/account/webhooks" />
      </Route>
    </Switch>
  );
}
