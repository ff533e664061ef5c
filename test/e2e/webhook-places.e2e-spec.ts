import { DeliveryResults } from '../../src/modules/webhook/delivery/delivery-results';
import { EndpointHealth } from '../../src/modules/webhook/delivery/endpoint-health';
import { ConcurrencyLimiter } from '../../src/modules/webhook/delivery/fair-queue';
import { createUser } from '../support/accounts';
import { eventually } from '../support/eventually';
import { useOwnTestApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { type Answering, WebhookReceiver } from '../support/webhook-receiver';

/** The initial concurrency of an endpoint. */
const PLACES = 4;

const stalls: Answering = (_delivery, response) => {
  response.writeHead(200).write('begun');
};

const drips: Answering = (delivery, response) => {
  stalls(delivery, response);
  const timer = setInterval(() => response.write('.'), 100);
  response.on('close', () => clearInterval(timer));
};

describe('the slots of an endpoint', () => {
  const app = useOwnTestApp();
  let receiver: WebhookReceiver;
  let client: WebhookClient;
  let endpointId: number;

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    client = new WebhookClient(app, await createUser(app));
    endpointId = (await client.create(receiver.url())).id;
  });

  afterEach(() => receiver.stop());

  const publish = (count: number): Promise<void> =>
    client.publish('chat.created', ...Array.from({ length: count }, (_element, n) => ({ n })));

  it.each([
    ['stalls', stalls],
    ['drips', drips],
  ])('are free again soon after the status, though the body %s', async (_how, answer) => {
    receiver.answer = answer;
    await publish(PLACES + 1);
    await receiver.waitFor(PLACES + 1, undefined, 20);
    expect(receiver.mostOpen).toBe(PLACES);
    const succeeded = await eventually(async () => {
      const found = await client.deliveries(endpointId, 'status=succeeded');
      return found.length === PLACES + 1 ? found : undefined;
    });
    const { attempts } = await client.delivery(endpointId, succeeded[0]?.id ?? 0);
    expect(attempts).toEqual([
      expect.objectContaining({ status_code: 200, error: null, response_body: expect.stringMatching(/^begun/) }),
    ]);
    await eventually(() => Promise.resolve(receiver.open === 0 || undefined));
  });

  it('are free again next to an endpoint whose results can never be stored', async () => {
    const health = app.app.get(EndpointHealth);
    const record = health.record.bind(health);
    const refused = (await client.create(receiver.url('/refused'))).id;
    const recording = jest.spyOn(health, 'record').mockImplementation((manager, results, now) => {
      const isRefused = results.some(({ claimed }) => claimed.endpoint.id === refused);
      return isRefused ? Promise.reject(new Error('It never works.')) : record(manager, results, now);
    });
    await publish(2 * PLACES);
    await eventually(async () => (await client.deliveries(endpointId, 'status=succeeded')).length === 2 * PLACES, 20);
    expect(await client.deliveries(refused, 'status=succeeded')).toEqual([]);
    recording.mockRestore();
    await eventually(async () => (await client.deliveries(refused, 'status=succeeded')).length === 2 * PLACES);
    expect(receiver.deliveries).toHaveLength(4 * PLACES);
  });

  describe('while results cannot be stored', () => {
    let storing: jest.SpyInstance;
    let storeAgain: () => void;

    beforeEach(() => {
      const results = app.app.get(DeliveryResults);
      const store = results.store.bind(results);
      const held = new Promise<void>((resolve) => (storeAgain = resolve));
      storing = jest.spyOn(results, 'store').mockImplementation(async (...result) => {
        await held;
        await store(...result);
      });
    });

    afterEach(() => {
      storeAgain();
      storing.mockRestore();
    });

    const isFull = (): boolean => app.app.get(ConcurrencyLimiter).full.has(endpointId);

    it('are free after a success', async () => {
      await publish(3 * PLACES);
      await receiver.waitFor(3 * PLACES, undefined, 20);
      await eventually(() => Promise.resolve(storing.mock.calls.length === 3 * PLACES || undefined));
      expect(isFull()).toBe(false);
      storeAgain();
      await eventually(async () => (await client.deliveries(endpointId, 'status=pending')).length === 0 || undefined);
    });

    it('are used after a failure, which may delay the endpoint', async () => {
      receiver.answer = (_delivery, response) => void response.writeHead(410).end();
      await publish(3 * PLACES);
      await eventually(() => Promise.resolve(storing.mock.calls.length === PLACES || undefined));
      expect(isFull()).toBe(true);
      storeAgain();
      await eventually(() => Promise.resolve(!isFull() || undefined));
      expect(receiver.deliveries).toHaveLength(PLACES);
    });
  });
});
