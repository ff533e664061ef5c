import type { ApiKeyWithTextDto } from '../../src/modules/api-key/keys/api-key.dto';
import type { CreateApiKeyDto } from '../../src/modules/api-key/own/api-key-body.dto';
import { call } from './http';
import type { TestApp } from './test-app';

/** Creates a key as its owner does. */
export async function makeKey(
  app: Pick<TestApp, 'url'>,
  token: string,
  body: Partial<CreateApiKeyDto> = {},
): Promise<ApiKeyWithTextDto> {
  const wanted = { name: 'a key', scopes: ['chat:read'], ...body };
  const answer = await call<ApiKeyWithTextDto>(`${app.url}/user/api-keys`, { token, body: wanted });
  if (answer.status !== 201) {
    throw new Error(`POST /user/api-keys answered ${answer.status}: ${answer.text}`);
  }
  return answer.body;
}

/** The key with one character of it changed. */
export function mistyped(key: string): string {
  const place = 20;
  return key.slice(0, place) + (key.charAt(place) === 'a' ? 'b' : 'a') + key.slice(place + 1);
}
