import { randomUUID } from 'node:crypto';
import type { ProviderDto } from '../../src/modules/admin/providers/provider.dto';
import type { AdminClient } from '../support/admin-client';
import type { ChatApp } from '../support/chat-app';

/** Keys entered for providers here, of which only the end may be shown again. */
export const KEY = 'hidden-key-of-the-tests-wxyz';

export function newName(): string {
  return `p-${randomUUID().slice(0, 8)}`;
}

/** A provider with the scripted model. */
export function providerFields({ model }: ChatApp, overrides: object = {}): Record<string, unknown> {
  return {
    name: newName(),
    kind: 'openai-compatible',
    base_url: model.openAiUrl,
    api_key: KEY,
    model: 'managed',
    ...overrides,
  };
}

export async function createProvider(
  app: ChatApp,
  admin: AdminClient,
  overrides: object = {},
): Promise<ProviderDto & { id: number }> {
  const fields = providerFields(app, overrides);
  const answer = await admin.post<ProviderDto & { id: number }>('/admin/providers', fields);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return answer.body.data;
}
