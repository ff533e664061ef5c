import type { McpServerDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { texts } from '../../../app/i18n/languages';
import { Badge } from '../../../components/badge';

const t = texts('servers');

type Server = Pick<McpServerDto, 'is_active' | 'fault' | 'listed_at'>;

/** Whether a server currently works. */
export function ServerBadge({ server: { is_active, fault, listed_at } }: { server: Server }): JSX.Element {
  if (!is_active) return <Badge>{t('switched_off')}</Badge>;
  if (fault !== null) return <Badge tone="danger">{t('fails')}</Badge>;
  return listed_at === null ? <Badge>{t('not_read')}</Badge> : <Badge tone="success">{t('answers')}</Badge>;
}

/** The host, which identifies the server better than the full address. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
