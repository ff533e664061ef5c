import type { ProviderDto } from 'chat-service-client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../../../app/api';
import { texts } from '../../../app/i18n/languages';
import { attempt, toast } from '../../../app/toasts';
import { ProviderTrial } from '../../../components/admin/provider-trial';

const t = texts('replies');

/** Tests a failed model, if its provider still exists. */
export function useTrial(): { begin: (provider: string, model?: string) => Promise<void>; dialog: JSX.Element | null } {
  const [tried, setTried] = useState<{ provider: ProviderDto; model: string | undefined }>();
  const begin = async (name: string, model?: string): Promise<void> => {
    await attempt(async () => {
      const { items } = (await api.admin.providers.list({ query: { size: 100 } })).data;
      const provider = items.find((known) => known.name === name);
      if (provider) setTried({ provider, model });
      else toast(t('provider_gone', { name }), { isFailure: true });
    });
  };
  return { begin, dialog: tried ? <ProviderTrial {...tried} onClose={() => setTried(undefined)} /> : null };
}
