import type { IdentityDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { formatAgo, formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { Returned } from '../../app/session';
import { attempt, toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { visit } from '../../app/visit';
import { Button } from '../../components/button';
import { confirm } from '../../components/dialog';
import { ReturnedNotice } from '../../components/returned-notice';
import { LinkButtons } from './link-identity';

const t = texts('account');

/** The linked identities and the providers that can be linked. Renders nothing if there are none. */
export function Identities(): JSX.Element | null {
  const loaded = useLoad(async () => {
    const [identities, { providers }] = await Promise.all([
      api.identities.list({ query: { limit: 100 } }),
      api.auth.listProviders(),
    ]);
    const names = new Map(providers.map(({ slug, name }) => [slug, name]));
    const linked = identities.map((identity) => ({ ...identity, name: names.get(identity.slug) ?? identity.slug }));
    return { linked, others: providers.filter(({ slug }) => !linked.some((identity) => identity.slug === slug)) };
  }, []);
  const unlink = async ({ id, name }: { id: number; name: string }): Promise<void> => {
    const question = { title: t('unlink_title', { name }), text: t('unlink_text') };
    if (!(await confirm({ ...question, action: t('unlink'), isDangerous: true }))) return;
    await attempt(async () => toast((await api.identities.unlink({ path: { id } })).message));
    loaded.reload();
  };
  const { linked = [], others = [] } = loaded.data ?? {};
  if (linked.length === 0 && others.length === 0) return null;
  return (
    <section class="stack">
      <h2>{t('identities')}</h2>
      <ReturnedNotice />
      {visit().part(Returned).isLinked && (
        <p class="notice success" role="status">
          {t('identity_linked')}
        </p>
      )}
      <p class="soft">{t(linked.length > 0 ? 'identities_text' : 'no_identities')}</p>
      <ul class="plain-list stack">
        {linked.map((identity) => (
          <li key={identity.id} class="card row spread">
            <div class="entry-text">
              <h3>{identity.name}</h3>
              <p class="soft">{factsOf(identity)}</p>
            </div>
            <Button onClick={() => void unlink(identity)} aria-label={t('unlink_title', { name: identity.name })}>
              {t('unlink')}
            </Button>
          </li>
        ))}
      </ul>
      <LinkButtons providers={others} />
    </section>
  );
}

function factsOf({ email, subject, linked_at: linked, last_used_at: used }: IdentityDto): string {
  return t('identity_facts', {
    person: email ?? subject ?? '',
    since: formatTime(linked),
    used: used === null ? t('never') : formatAgo(used),
  });
}
