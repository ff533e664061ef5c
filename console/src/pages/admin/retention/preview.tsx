import type { RetentionPreviewKindDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { formatKilobytes, formatNumber } from '../../../app/i18n/formats';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { Dialog } from '../../../components/dialog';
import { Show } from '../../../components/states';
import { Time } from '../../../components/time';

const t = texts('retention');

/** What a sweep would delete now. */
export function Preview({ onClose }: { onClose: () => void }): JSX.Element {
  const loaded = useLoad(async () => (await api.admin.retention.preview({ body: {} })).data.kinds, []);
  return (
    <Dialog title={t('preview')} onClose={onClose}>
      <p class="soft">{t('preview_hint')}</p>
      <Show loaded={loaded}>
        {(kinds) =>
          kinds.length === 0 ? (
            <p>{t('nothing_in_force')}</p>
          ) : (
            <ul class="stack">
              {kinds.map((one) => (
                <KindPreview key={one.kind} preview={one} />
              ))}
            </ul>
          )
        }
      </Show>
    </Dialog>
  );
}

function KindPreview({ preview }: { preview: RetentionPreviewKindDto }): JSX.Element {
  const { kind, count, messages, bytes, held, oldest } = preview;
  const facts = [
    t('count', { number: formatNumber(count) }),
    messages === undefined ? null : t('messages', { number: formatNumber(messages) }),
    bytes === undefined ? null : formatKilobytes(bytes),
    held > 0 ? t('held', { number: formatNumber(held) }) : null,
  ];
  return (
    <li class="stack tight">
      <strong>{t(`kind_${kind}`)}</strong>
      <span>{facts.filter((fact) => fact !== null).join(' · ')}</span>
      {oldest !== null && (
        <span class="soft">
          {t('oldest')} <Time at={oldest} />
        </span>
      )}
    </li>
  );
}
