/** What a webhook delivers. `GET /webhooks/events` describes the data of each type. */
export interface WebhookEvent {
  /** The same at every attempt. */
  id: string;
  type: string;
  /** When it happened, UTC. */
  timestamp: string;
  api_version: 'v1';
  data: Record<string, unknown>;
}

/** A delivery that does not come from the service, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** Seconds that two clocks may differ, and a delivery may take. */
const TOLERANCE_SECONDS = 300;

/**
 * Checks the signature of a delivery by the Standard Webhooks, and reads it.
 *
 * @param secret `whsec_…`
 * @param headers of the request
 * @param body as it came, before anything was parsed
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  secret: string,
  headers: Headers | Record<string, string | string[] | undefined>,
  body: string,
): Promise<WebhookEvent> {
  const read = (name: string): string => String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const [id, timestamp, signatures] = [read('webhook-id'), read('webhook-timestamp'), read('webhook-signature')];
  const isFresh = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS;
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const key = await crypto.subtle.importKey(
    'raw',
    bytesOf(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  // 32 bytes in base64; anything else cannot be one, and is not decoded.
  for (const [, signature = ''] of signatures.matchAll(/(?:^| )v1,([A-Za-z\d+/]{43}=)(?= |$)/g)) {
    if (isFresh && (await crypto.subtle.verify('HMAC', key, bytesOf(signature), signed))) {
      return JSON.parse(body) as WebhookEvent;
    }
  }
  throw new WebhookVerificationError(isFresh ? 'The signature is wrong.' : 'The delivery is too old, or has no time.');
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
