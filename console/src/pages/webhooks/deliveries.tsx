import type { DeliveryDto, WebhookDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../app/api';
import { formatNumber, formatTime } from '../../app/i18n/formats';
import { texts } from '../../app/i18n/languages';
import { useLoad } from '../../app/use-load';
import { Button } from '../../components/button';
import { DataTable, type TablePage } from '../../components/table/table';
import type { TableQuery } from '../../components/table/table-query';
import { useVersion } from '../../components/table/use-version';
import { DeliveryDialog } from './delivery';
import { DeliveryStatus } from './delivery-status';

const t = texts('webhooks');

const STATUSES = ['pending', 'succeeded', 'failed'] as const;

interface DeliveriesProps {
  webhook: WebhookDto;
  canRedeliver: boolean;
  /** A change reloads the deliveries. */
  version: number;
}

/** Past and scheduled deliveries of a webhook. */
export function Deliveries({ webhook, canRedeliver, version }: DeliveriesProps): JSX.Element {
  const [openId, setOpenId] = useState<number>();
  const [reloads, reload] = useVersion();
  const kinds = useLoad(async () => (await api.webhooks.listEvents()).data.items, []);

  return (
    <section class="stack">
      <div class="row spread">
        <h2>{t('deliveries')}</h2>
        <Button icon="refresh" onClick={reload}>
          {t('reload')}
        </Button>
      </div>
      <DataTable<DeliveryDto>
        label={t('deliveries')}
        columns={[
          {
            name: 'event',
            label: t('event'),
            cell: ({ id, event }) => (
              <button type="button" class="link mono" onClick={() => setOpenId(id)}>
                {event}
              </button>
            ),
          },
          { name: 'status', label: t('status'), cell: ({ status }) => <DeliveryStatus status={status} /> },
          { name: 'created_at', label: t('happened'), cell: (delivery) => formatTime(delivery.created_at) },
          {
            name: 'attempt_count',
            label: t('attempts'),
            isNumber: true,
            cell: (delivery) => formatNumber(delivery.attempt_count),
          },
          {
            name: 'next_attempt_at',
            label: t('next_attempt'),
            cell: (delivery) => formatTime(delivery.next_attempt_at),
          },
        ]}
        filters={[
          { name: 'status', label: t('status'), choices: STATUSES.map((value) => ({ value, label: t(value) })) },
          {
            name: 'event',
            label: t('event'),
            choices: (kinds.data ?? []).map(({ type }) => ({ value: type, label: type })),
          },
        ]}
        load={(query) => readDeliveries(webhook.id, query)}
        rowKey={({ id }) => id}
        empty={<p>{t('no_deliveries')}</p>}
        version={version + reloads}
      />
      {openId !== undefined && (
        <DeliveryDialog
          webhookId={webhook.id}
          id={openId}
          canRedeliver={canRedeliver}
          onClose={() => {
            setOpenId(undefined);
            reload();
          }}
        />
      )}
    </section>
  );
}

async function readDeliveries(id: number, { status, event, page }: TableQuery): Promise<TablePage<DeliveryDto>> {
  const { data } = await api.webhooks.listDeliveries({
    path: { id },
    query: { status: STATUSES.find((known) => known === status), event, page: Number(page ?? 1) },
  });
  return data;
}
