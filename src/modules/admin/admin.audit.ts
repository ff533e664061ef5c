import { defineAudit } from '../../common/audit/audit-definition';
import type { AuditState } from '../../common/audit/audit-state';
import type { Plan } from '../usage/usage.api';
import type { SettingsDto } from './settings/settings.dto';

/*
 * The audit log's view of objects that only administrators change. None contains personal data: the log has no text of
 * a conversation that was read, and no address of a test mail.
 */

/** A model provider, in the form that `ProviderAdministrationService` publishes. */
export const providerAudit = defineAudit<AuditState>({ subject: 'provider', state: (shown) => shown, personal: [] });

export const planAudit = defineAudit<Plan>({
  subject: 'plan',
  state: ({ messagesPerDay, tokensPerDay, storageBytes, embeddingTokens }) => ({
    messages_per_day: messagesPerDay,
    tokens_per_day: tokensPerDay,
    storage_bytes: storageBytes,
    embedding_tokens: embeddingTokens,
  }),
  personal: [],
});

export const settingsAudit = defineAudit<SettingsDto>({
  subject: 'settings',
  state: (settings) => ({ ...settings }),
  personal: [],
});

export const emailAudit = defineAudit<never>({ subject: 'email', state: () => ({}), personal: [] });

export const chatAudit = defineAudit<never>({ subject: 'chat', state: () => ({}), personal: [] });
