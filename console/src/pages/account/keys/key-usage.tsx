import type { ApiKeyDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { useLoad } from '../../../app/use-load';
import { Dialog } from '../../../components/dialog';
import { Show } from '../../../components/states';
import { OwnPlots } from '../own-plots';

const t = texts('account');

export function KeyUsageDialog({ apiKey, onClose }: { apiKey: ApiKeyDto; onClose: () => void }): JSX.Element {
  const loaded = useLoad(() => api.apiKeys.usage({ path: { id: apiKey.id } }), [apiKey.id]);
  return (
    <Dialog title={t('key_usage_title', { name: apiKey.name })} onClose={onClose}>
      <Show loaded={loaded}>{(days) => <OwnPlots days={days} />}</Show>
    </Dialog>
  );
}
