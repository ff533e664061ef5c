import type { AttentionItemDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { api } from '../../../app/api';
import { formatAgo, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { visit } from '../../../app/visit';
import { Icon } from '../../../components/icon';

const t = texts('admin');

type Kind = AttentionItemDto['kind'];

/** Pages where an issue can be fixed. A webhook has its own page; failures are filtered by model. */
const PLACES: Record<Kind, string> = {
  database_read_only: 'health',
  backup_old: 'health',
  mail_down: 'settings',
  provider_key_refused: 'providers',
  provider_failing: 'providers',
  model_failing: 'failures',
  embeddings_failing: 'knowledge',
  knowledge_failed: 'knowledge',
  tool_failing: 'tools',
  webhook_failing: 'webhooks',
  webhook_disabled: 'webhooks',
  model_unpriced: 'prices',
  budget_nearly_used: 'budgets',
  instances_differ: 'instances',
  guard_failing: 'guards',
  hold_ending: 'holds',
  retention_paused: 'retention',
  retention_behind: 'retention',
};

/** Current issues with links to their fixes. Renders nothing if there are none or if they cannot be read. */
export function Attention(): JSX.Element | null {
  const { data } = useLoad(async () => visit().start.take('attention') ?? (await api.admin.attention.list()).data, []);
  // A newer service may report other kinds.
  const items = data?.filter(({ kind }) => kind in PLACES) ?? [];
  if (items.length === 0) return null;
  return (
    <section class="stack" aria-label={t('attention')}>
      <h2>{t('attention')}</h2>
      <ul class="stack attention">
        {items.map((item) => (
          <li key={`${item.kind} ${item.target}`} class="notice warning row spread">
            <span>
              <Icon name="warning" /> {sentenceOf(item)}
              {item.since && <span class="soft"> {t('attention_since', { ago: formatAgo(item.since) })}</span>}
            </span>
            <Link class="button" href={placeOf(item)}>
              {t('look_at_it')}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function sentenceOf({ kind, count, target }: AttentionItemDto): string {
  return t(`attention_${kind}`, { target: target ?? '', number: formatNumber(count) });
}

function placeOf({ kind, target }: AttentionItemDto): string {
  if (kind === 'model_failing' && target !== null) {
    const [, provider, model] = /^([^:]*):(.*)$/s.exec(target) ?? [];
    return `/admin/failures?${new URLSearchParams({ provider: provider ?? target, ...(model && { model }) })}`;
  }
  const isWebhook = PLACES[kind] === 'webhooks' && target !== null;
  return `/admin/${PLACES[kind]}${isWebhook ? `/${target}` : ''}`;
}
