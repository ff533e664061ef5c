import type { ApiKeyDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { api } from '../../api';
import { texts } from '../../languages';
import { useLoad } from '../../load';
import { Dialog } from '../../parts/dialog';
import { Show } from '../../parts/states';
import { DailyPlots } from './daily-plots';

const t = texts('account');

export function KeyUsageDialog({ apiKey, onClose }: { apiKey: ApiKeyDto; onClose: () => void }): JSX.Element {
  const loaded = useLoad(() => api.apiKeys.usage({ path: { id: apiKey.id } }), [apiKey.id]);
  return (
    <Dialog title={t('key_usage_title', { name: apiKey.name })} onClose={onClose} wide>
      <Show loaded={loaded}>{(days) => <DailyPlots days={days} />}</Show>
    </Dialog>
  );
}
