import { DeliveryResults } from '../../src/modules/webhook/delivery/delivery-results';
import { EndpointHealth } from '../../src/modules/webhook/delivery/endpoint-health';
import { ConcurrencyLimiter } from '../../src/modules/webhook/delivery/fair-queue';
import { createUser } from '../support/accounts';
import { eventually } from '../support/eventually';
import { useOwnTestApp } from '../support/use-app';
import { WebhookClient } from '../support/webhook-client';
import { type Answering, type Delivery, WebhookReceiver } from '../support/webhook-receiver';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const isNumber =
  (n: number) =>
  ({ body }: Delivery): boolean =>
    body.data.n === n;

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

const app = useOwnTestApp();

describe('endpoints that request a pause', () => {
  let receiver: WebhookReceiver;
  let client: WebhookClient;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    client = new WebhookClient(app, await createUser(app));
  });

  afterEach(() => receiver.stop());

  /**
   * Answers the events with these numbers as given, with a status and an optional Retry-After, and all others with 200.
   */
  function answerByNumber(answers: Record<number, [status: number, retryAfter?: string]>): void {
    receiver.answer = ({ body }, response) => {
      const [status, retryAfter] = answers[body.data.n as number] ?? [200];
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('no');
    };
  }

  /** Resolves once this number of consecutive failures is stored. */
  async function failures(id: number, atLeast: number): Promise<void> {
    await eventually(async () => (await client.get(id)).failure_count >= atLeast);
  }

  it.each([
    ['600', 10 * MINUTE, 0],
    ['999999', 24 * HOUR, 0],
    ['1', 5 * SECOND, 0.1],
    ['0', 5 * SECOND, 0.1],
  ])('get a delivery again after Retry-After: %s, or after the planned pause', async (retryAfter, pause, jitter) => {
    answerByNumber({ 1: [503, retryAfter] });
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    const failed = await client.onlyDelivery(id, ({ attempt_count }) => attempt_count === 1);
    const planned = Date.parse(failed.next_attempt_at ?? '') - Date.parse(failed.last_attempt_at ?? '');
    expect(Math.abs(planned - pause)).toBeLessThanOrEqual(jitter * pause);
  });

  it('get ten attempts over the days of the schedule, however short the requested pauses', async () => {
    answerByNumber({ 1: [503, '1'] });
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    let days = 0;
    for (let attempt = 1; attempt < 10; attempt++) {
      const failed = await client.onlyDelivery(id, ({ attempt_count }) => attempt_count === attempt);
      const planned = Date.parse(failed.next_attempt_at ?? '') - Date.parse(failed.last_attempt_at ?? '');
      days += planned / (24 * HOUR);
      client.advance(planned);
    }
    await client.onlyDelivery(id, ({ status, attempt_count }) => status === 'failed' && attempt_count === 10);
    expect(days).toBeGreaterThan(2.8);
  });

  it('get all other events in the meantime, each on time', async () => {
    answerByNumber({ 1: [429, '600'], 2: [500] });
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    const asked = await client.onlyDelivery(id, ({ attempt_count }) => attempt_count === 1);
    await client.publish('chat.created', { n: 2 });
    await failures(id, 2);
    const [own] = await client.deliveries(id);
    await client.publish('chat.created', { n: 3 });
    await receiver.waitFor(1, isNumber(3));
    client.advance(6 * SECOND);
    await eventually(async () => (await client.delivery(id, own!.id)).attempt_count === 2);
    client.advance(6 * MINUTE);
    await receiver.waitFor(3, isNumber(2));
    expect(await client.delivery(id, asked.id)).toMatchObject({ ...asked, attempt_count: 1 });
    client.advance(4 * MINUTE);
    await receiver.waitFor(2, isNumber(1));
  });

  it('get queued events when a test ends an outage, but not those with a later Retry-After', async () => {
    answerByNumber({ 1: [503, '36000'], 2: [503], 3: [503] });
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    const asked = await client.onlyDelivery(id, ({ attempt_count }) => attempt_count === 1);
    await client.publish('chat.created', { n: 2 }, { n: 3 });
    await failures(id, 3);
    answerByNumber({});
    await client.request('POST', `/${id}/test`);
    await receiver.waitFor(2, isNumber(2));
    await receiver.waitFor(2, isNumber(3));
    await client.publish('chat.created', { n: 4 });
    await eventually(async () => ((await client.deliveries(id, 'status=succeeded')).length === 4 ? true : undefined));
    expect(await client.delivery(id, asked.id)).toMatchObject(asked);
    expect(receiver.received(isNumber(1))).toHaveLength(1);
    client.advance(10 * HOUR);
    await receiver.waitFor(2, isNumber(1));
  });

  it('are sent only events requested by the owner while others wait for their time', async () => {
    answerByNumber({ 1: [503], 2: [503, '600'] });
    const { id } = await client.create(receiver.url());
    await client.publish('chat.created', { n: 1 });
    await client.onlyDelivery(id, ({ attempt_count }) => attempt_count === 1);
    client.advance(6 * SECOND);
    const planned = await client.onlyDelivery(id, ({ attempt_count }) => attempt_count === 2);
    await client.publish('chat.created', { n: 0 });
    await eventually(async () => (await client.get(id)).failure_count === 0);
    await client.publish('chat.created', { n: 2 });
    await failures(id, 1);
    const [asked] = await client.deliveries(id);
    answerByNumber({});
    await client.request('POST', `/${id}/test`);
    await eventually(async () => (await client.get(id)).failure_count === 0);
    await client.publish('chat.created', { n: 3 });
    await eventually(async () => (await client.deliveries(id, 'status=succeeded')).length === 3);
    expect(await client.deliveries(id, 'status=pending')).toEqual([asked, planned]);
    await client.request('POST', `/${id}/deliveries/${asked?.id}/redeliver`);
    await receiver.waitFor(2, isNumber(2));
    expect(receiver.received(isNumber(1))).toHaveLength(2);
  });
});

describe('the slots of an endpoint', () => {
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
