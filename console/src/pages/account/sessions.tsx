import type { SessionDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../app/api';
import { formatAgo, formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { attempt, toast } from '../../app/toasts';
import { useLoad } from '../../app/use-load';
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { confirm } from '../../components/dialog';
import { Page } from '../../components/page/page';
import { Show } from '../../components/states';
import { deviceName } from './device';

const t = texts('account');

export function Sessions(): JSX.Element {
  const loaded = useLoad(() => api.sessions.list({ query: { limit: 100 } }), []);

  const end = async (
    question: { title: string; text: string },
    action: () => Promise<{ message: string }>,
  ): Promise<void> => {
    if (!(await confirm({ ...question, action: t('end'), isDangerous: true }))) return;
    await attempt(async () => toast((await action()).message));
    loaded.reload();
  };
  const endOne = (session: SessionDto): Promise<void> =>
    end({ title: t('end_title', { device: nameOf(session) }), text: t('end_text') }, () =>
      api.sessions.end({ path: { id: session.id } }),
    );
  const endOthers = (): Promise<void> =>
    end({ title: t('end_others'), text: t('end_others_text') }, () => api.sessions.endOthers());

  const hasOthers = loaded.data?.some(({ current }) => !current);
  return (
    <Page
      title={t('sessions')}
      actions={
        hasOthers && (
          <Button kind="danger" onClick={() => void endOthers()}>
            {t('end_others')}
          </Button>
        )
      }
    >
      <p class="soft">{t('sessions_text')}</p>
      <Show loaded={loaded}>
        {(sessions) => (
          <ul class="plain-list stack">
            {sessions.map((session) => (
              <li key={session.id} class="card row spread">
                <div class="entry-text">
                  <h2>
                    {nameOf(session)} {session.current && <Badge tone="success">{t('this_session')}</Badge>}
                  </h2>
                  <p class="soft" title={session.user_agent ?? undefined}>
                    {factsOf(session)}
                  </p>
                </div>
                {!session.current && (
                  <Button onClick={() => void endOne(session)} aria-label={t('end_title', { device: nameOf(session) })}>
                    {t('end')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Show>
    </Page>
  );
}

function factsOf({ kind, address, created_at, last_used_at }: SessionDto): string {
  const facts = { address, since: formatTime(created_at) };
  if (last_used_at === null) return t('program_unused', facts);
  return t(kind === 'device' ? 'program_facts' : 'session_facts', { ...facts, used: formatAgo(last_used_at) });
}

function nameOf({ kind, client, user_agent: agent }: SessionDto): string {
  if (kind === 'device') {
    return [client.client_id ?? client.surface ?? t('program'), client.device_name].filter(Boolean).join(' · ');
  }
  if (agent === null) return t('unknown_device');
  return deviceName(agent) ?? (agent.length > 60 ? `${agent.slice(0, 60)}…` : agent);
}
