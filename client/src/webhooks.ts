/** The payload of a webhook delivery. `GET /webhooks/events` describes the data of each type. */
export interface WebhookEvent {
  /** The same for all attempts. */
  id: string;
  type: string;
  /** Time of the event in UTC. */
  timestamp: string;
  api_version: 'v1';
  data: Record<string, unknown>;
}

/** A delivery that is not from the service, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** Tolerance for clock differences and delivery time, in seconds. */
const TOLERANCE_SECONDS = 300;

/**
 * Verifies the signature of a delivery according to Standard Webhooks, and parses it.
 *
 * @param secret `whsec_…`
 * @param headers headers of the request
 * @param body raw body, before any parsing
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
  // A signature is 32 bytes in base64. Anything else is ignored without decoding.
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
