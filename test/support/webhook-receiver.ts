import { Webhook } from 'standardwebhooks';
import { type Delivery, WebhookReceiver } from '../../src/testing/webhook-receiver';

export * from '../../src/testing/webhook-receiver';

/** Verifies a delivery with the public library, as receivers do. @throws if the signature is wrong */
export function verify(delivery: Delivery, secret: string): unknown {
  return new Webhook(secret).verify(delivery.text, delivery.headers as Record<string, string>);
}

/** A server that counts connections and expects none. */
export async function startCanary(): Promise<{ port: number; connections: () => number; stop: () => Promise<void> }> {
  const receiver = await WebhookReceiver.start();
  return { port: receiver.port, connections: () => receiver.connections, stop: () => receiver.stop() };
}
