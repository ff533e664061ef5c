import type { IdentityDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { formatAgo, formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { Button } from '../../components/button';
import { confirm } from '../../components/dialog';

const t = texts('account');

/** With whose identities the person may sign in; nothing where there is none. */
export function Identities(): JSX.Element | null {
  const loaded = useLoad(async () => {
    const [identities, { providers }] = await Promise.all([api.identities.list(), api.auth.listProviders()]);
    const names = new Map(providers.map(({ slug, name }) => [slug, name]));
    return identities.map((identity) => ({ ...identity, name: names.get(identity.slug) ?? identity.slug }));
  }, []);
  const unlink = async ({ id, name }: { id: number; name: string }): Promise<void> => {
    const question = { title: t('unlink_title', { name }), text: t('unlink_text') };
    if (!(await confirm({ ...question, action: t('unlink'), isDangerous: true }))) return;
    await attempt(async () => toast((await api.identities.unlink({ path: { id } })).message));
    loaded.reload();
  };
  if (!loaded.data?.length) return null;
  return (
    <section class="stack">
      <h2>{t('identities')}</h2>
      <p class="soft">{t('identities_text')}</p>
      <ul class="plain-list stack">
        {loaded.data.map((identity) => (
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
