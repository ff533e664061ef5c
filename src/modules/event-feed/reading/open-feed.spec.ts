import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { fake } from '../../../../test/support/fake';
import type { Principal } from '../../../common/security/principal';
import { HOUR_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';
import type { FeedEvent } from './feed-events';
import { eventText, placeText } from './feed-format';
import { OpenFeed } from './open-feed';

const PING = ': ping\n\n';

/** A response whose reader accepts everything. */
class QuickResponse extends EventEmitter {
  text = '';
  destroyed = false;

  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

function eventAt(number: number, type: string): FeedEvent {
  return { number, type, publicId: `evt_${number}`, data: {}, occurredAt: new Date(0) };
}

describe('an open feed with a filter on event types', () => {
  let response: QuickResponse;
  let events: FeedEvent[];
  let feed: OpenFeed;

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    response = new QuickResponse();
    events = [];
    feed = new OpenFeed(
      fake<Principal>({ userId: 7 }),
      ['chat.deleted'],
      fake<Response>(response),
      (_userId, place) => Promise.resolve(events.filter(({ number }) => number > place)),
      () => undefined,
    );
    feed.start({ place: 10, isReset: false });
    await written();
  });

  afterEach(() => jest.useRealTimers());

  /** What the client has received since the last call. */
  async function written(): Promise<string> {
    await new Promise((resolve) => setImmediate(resolve));
    const { text } = response;
    response.text = '';
    return text;
  }

  /**
   * The text that the client receives after this much idle time.
   *
   * @param position all numbers up to it have been assigned
   */
  async function after(milliseconds: number, position: number): Promise<string> {
    jest.advanceTimersByTime(milliseconds);
    feed.pingIfQuiet(position);
    return written();
  }

  async function happened(...more: FeedEvent[]): Promise<string> {
    events.push(...more);
    feed.wake();
    return written();
  }

  it('sends its position when the last event of its user did not match', async () => {
    expect(await happened(eventAt(11, 'chat.created'), eventAt(12, 'chat.updated'))).toBe('');
    expect(await after(HOUR_MILLISECONDS + 1, 12)).toBe(placeText(12));
    expect(await after(HOUR_MILLISECONDS + 1, 12)).toBe(PING);
  });

  it('sends the position that it has read, where others were not sent yet', async () => {
    expect(await happened(eventAt(12, 'chat.created'))).toBe('');
    expect(await after(HOUR_MILLISECONDS + 1, 11)).toBe(placeText(12));
    expect(await happened(eventAt(13, 'chat.deleted'))).toBe(eventText(eventAt(13, 'chat.deleted')));
  });

  it('sends it at most once an hour, and not again after an event with it', async () => {
    expect(await happened(eventAt(11, 'chat.created'))).toBe('');
    expect(await after(HOUR_MILLISECONDS / 2, 11)).toBe(PING);
    expect(await happened(eventAt(12, 'chat.deleted'))).toBe(eventText(eventAt(12, 'chat.deleted')));
    expect(await after(HOUR_MILLISECONDS + 1, 12)).toBe(PING);
    expect(await after(15 * SECOND_MILLISECONDS, 13)).toBe(placeText(13));
    expect(await after(HOUR_MILLISECONDS / 2, 14)).toBe(PING);
    expect(await after(HOUR_MILLISECONDS / 2 + 1, 14)).toBe(placeText(14));
  });
});
