import { signal } from '@preact/signals';
import { api } from '../../api';
import type { Quota } from './types';

/** What the person may still use today. */
export const quota = signal<Quota | null>(null);

/** Asks for it again; when there is no answer, the last one stays. */
export async function readQuota(): Promise<void> {
  quota.value = await api.usage.quota().catch(() => quota.peek());
}
