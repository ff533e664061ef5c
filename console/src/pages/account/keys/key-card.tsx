import type { ApiKeyDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { formatAgo, formatTime } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { user } from '../../../app/visit';
import { Badge } from '../../../components/badge';
import { Button } from '../../../components/button';
import { Facts } from '../../../components/facts';

const t = texts('account');

interface KeyCardProps {
  apiKey: ApiKeyDto;
  onUsage: () => void;
  onEdit: () => void;
  onRotate: () => void;
  onRevoke: () => void;
}

/** An API key with its properties and actions. */
export function KeyCard({ apiKey: key, onUsage, onEdit, onRotate, onRevoke }: KeyCardProps): JSX.Element {
  const isExpired = key.expires_at !== null && new Date(key.expires_at) <= new Date();
  const limits = [
    key.requests_per_minute !== null && t('requests_a_minute', { number: key.requests_per_minute }),
    key.tokens_per_day !== null && t('tokens_a_day', { number: key.tokens_per_day }),
  ].filter(Boolean);
  const created = formatTime(key.created_at);
  const isOwn = key.created_by === user.value?.id;
  return (
    <li class="card stack" aria-label={key.name}>
      <div class="row spread">
        <h2 class="entry-text">{key.name}</h2>
        {isExpired && <Badge tone="danger">{t('expired')}</Badge>}
      </div>
      <div class="row">
        <code>{`${key.prefix}…${key.last_four}`}</code>
        {key.scopes.map((scope) => (
          <Badge key={scope} isCode>
            {scope}
          </Badge>
        ))}
      </div>
      {key.previous_until && (
        <p class="notice warning">{t('previous_until', { time: formatTime(key.previous_until) })}</p>
      )}
      <Facts
        facts={[
          [t('last_used'), key.last_used_at ? formatAgo(key.last_used_at) : t('never')],
          [t('expires'), key.expires_at ? formatTime(key.expires_at) : t('never')],
          [t('limits'), limits.length > 0 ? limits.join(' · ') : t('no_own_limits')],
          [t('created'), isOwn ? created : `${created} · ${t('by_administrator')}`],
        ]}
      />
      <div class="row">
        <Button onClick={onUsage}>{t('show_usage')}</Button>
        <Button icon="edit" onClick={onEdit}>
          {t('edit')}
        </Button>
        <Button icon="refresh" onClick={onRotate}>
          {t('rotate')}
        </Button>
        <Button kind="danger" icon="trash" onClick={onRevoke}>
          {t('revoke')}
        </Button>
      </div>
    </li>
  );
}
