import type { DeliveryDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { texts } from '../../app/i18n/languages';
import { Badge } from '../../components/badge';

const t = texts('webhooks');

const TONES = { pending: 'warning', succeeded: 'success', failed: 'danger' } as const;

export function DeliveryStatus({ status }: Pick<DeliveryDto, 'status'>): JSX.Element {
  return <Badge tone={TONES[status]}>{t(status)}</Badge>;
}
