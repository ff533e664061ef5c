import { DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { WebhookWorker } from '../../src/modules/webhook/delivery/webhook-worker';
import type { DeliveryDetailDto, DeliveryDto } from '../../src/modules/webhook/management/delivery.dto';
import type { WebhookDto, WebhookWithSecretDto } from '../../src/modules/webhook/management/webhook.dto';
import type { TestAccount } from './accounts';
import { eventually } from './eventually';
import { call } from './http';
import type { TestApp } from './test-app';

type App = Pick<TestApp, 'app' | 'url' | 'advanceClock'>;

/** An endpoint owner's actions over the API, and actions that cause events. */
export class WebhookClient {
  constructor(
    private readonly app: App,
    private readonly account: Pick<TestAccount, 'token' | 'user'>,
  ) {}

  /** @throws if the answer is not a success */
  async request<Data>(method: string, path: string, body?: object): Promise<Data> {
    const answer = await call<{ data: Data }>(`${this.app.url}/webhooks${path}`, {
      method,
      token: this.account.token,
      body,
    });
    if (answer.status >= 300) {
      throw new Error(`${method} /webhooks${path} answered ${answer.status}: ${answer.text}`);
    }
    return answer.body.data;
  }

  create(url: string, fields: object = {}): Promise<WebhookWithSecretDto> {
    return this.request('POST', '', { url, events: ['*'], ...fields });
  }

  get(id: number): Promise<WebhookDto> {
    return this.request('GET', `/${id}`);
  }

  async deliveries(id: number, query = ''): Promise<DeliveryDto[]> {
    return (await this.request<{ items: DeliveryDto[] }>('GET', `/${id}/deliveries?size=100&${query}`)).items;
  }

  delivery(id: number, deliveryId: number): Promise<DeliveryDetailDto> {
    return this.request('GET', `/${id}/deliveries/${deliveryId}`);
  }

  /** The endpoint's only delivery, once it matches. */
  async onlyDelivery(id: number, fits: (delivery: DeliveryDto) => boolean): Promise<DeliveryDto> {
    return eventually(async () => {
      const found = await this.deliveries(id);
      return found.length === 1 && found[0] && fits(found[0]) ? found[0] : undefined;
    });
  }

  /** Publishes events in one transaction, as modules do; of the given members, `content` is content. */
  async publish(type: string, ...events: { content?: string; [fact: string]: unknown }[]): Promise<void> {
    const { app } = this.app;
    const userId = this.account.user.id;
    await app.get(Database).write(async (manager) => {
      for (const { content, ...data } of events) {
        const event = { type, userId, data, ...(content !== undefined && { content: { content } }) };
        await app.get(DomainEvents).publish(manager, event);
      }
    });
  }

  /** Moves the clock and triggers the worker. */
  advance(milliseconds: number): void {
    this.app.advanceClock(milliseconds);
    this.app.app.get(WebhookWorker).wake();
  }
}
