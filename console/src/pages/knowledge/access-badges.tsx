import type { KnowledgeDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { Badge } from '../../components/badge';

const t = texts('knowledge');

/** The other readers of a collection. The service shows them only to its owner and editors. */
export function AccessBadges({ collection: { access } }: { collection: KnowledgeDto }): JSX.Element {
  if (access === null) return <Badge>{t('shared_with_you')}</Badge>;
  const groups = access.groups?.length ?? 0;
  const isPrivate = groups === 0 && !access.everyone;
  return (
    <span class="row tight">
      {isPrivate && <Badge>{t('private')}</Badge>}
      {access.everyone && <Badge tone="accent">{t('everyone')}</Badge>}
      {groups > 0 && <Badge tone="accent">{t('groups', { count: groups })}</Badge>}
    </span>
  );
}
