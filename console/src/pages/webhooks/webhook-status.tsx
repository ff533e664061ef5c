import type { WebhookDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { Badge } from '../../components/badge';

const t = texts('webhooks');

/** Whether events currently reach the webhook. */
export function WebhookStatus({ webhook }: { webhook: WebhookDto }): JSX.Element {
  if (webhook.disabled_reason) return <Badge tone="danger">{t('disabled')}</Badge>;
  if (!webhook.is_active) return <Badge>{t('switched_off')}</Badge>;
  if (webhook.failing_since) return <Badge tone="warning">{t('failing')}</Badge>;
  return <Badge tone="success">{t('active')}</Badge>;
}

/** The problem of a webhook, and how to fix it. */
export function WebhookTrouble({ webhook }: { webhook: WebhookDto }): JSX.Element | null {
  if (webhook.disabled_reason) {
    const time = formatTime(webhook.disabled_at);
    return (
      <p class="notice danger">
        {webhook.disabled_reason === 'gone' ? t('disabled_gone', { time }) : t('disabled_failing', { time })}
      </p>
    );
  }
  if (webhook.is_active && webhook.failing_since) {
    return (
      <p class="notice warning">
        {t('failing_text', { time: formatTime(webhook.failing_since), count: webhook.failure_count })}
      </p>
    );
  }
  return null;
}
