import { fake } from '../../../../test/support/fake';
import { RedisChannels } from '../../../common/redis/redis-channels';
import type { RedisConnection } from '../../../common/redis/redis-connection';
import type { Database } from '../../../database/database';
import { RunningReply } from '../../generation/reply/running-reply';
import { ConversationHistory } from './conversation-history';

const LIMITS = { messages: 199, tokens: 60_000 };

describe('the cached end of a conversation', () => {
  let channels: RedisChannels;
  /** Database reads. */
  let read: jest.Mock;

  beforeEach(() => {
    channels = new RedisChannels(null);
    read = jest.fn().mockResolvedValue([]);
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  /** Two instances with the same channels behave like two instances that share a Redis server. */
  function newHistory() {
    const database = fake<Database>({ onCommit: (callback: () => void) => callback() });
    const redis = fake<RedisConnection>({
      subscribe: channels.subscribe.bind(channels),
      publish: (channel: string, message: string) => void channels.publish(channel, message),
    });
    const history = new ConversationHistory(database, redis);
    Object.assign(history, { read });
    return history;
  }

  /** Runs an exchange that follows an earlier reply. */
  async function exchange(history: ConversationHistory, chatId: number, replyId: number, text: string, after: number) {
    const reply = new RunningReply(
      chatId,
      replyId - 1,
      replyId,
      {} as RunningReply['task'],
      {} as RunningReply['origin'],
      {} as RunningReply['driver'],
    );
    const message = { lineEndId: after, lastReplyId: after, content: text, parts: null, tokens: 1 };
    const sent = await history.before(reply, LIMITS, LIMITS, message);
    history.endedOnCommit(reply, { content: text, parts: null, tokenCount: 1, failure: null });
    return sent.length;
  }

  it('is read once and grows with each exchange', async () => {
    const history = newHistory();
    const sent = [];
    for (const replyId of [12, 14, 16]) {
      sent.push(await exchange(history, 1, replyId, 'Hi', replyId - 2));
    }
    expect([sent, read.mock.calls.length]).toEqual([[0, 2, 4], 1]);
  });

  it('is read again after an unknown exchange', async () => {
    const history = newHistory();
    await exchange(history, 1, 12, 'Hi', 10);
    await exchange(history, 1, 16, 'Hi', 14);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is dropped by all instances', async () => {
    const [here, there] = [newHistory(), newHistory()];
    await exchange(there, 1, 12, 'Hi', 10);
    await exchange(there, 2, 22, 'Hi', 20);
    here.forgetOnCommit([1]);
    await Promise.resolve();
    await exchange(there, 1, 14, 'Hi', 12);
    await exchange(there, 2, 24, 'Hi', 22);
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('is not kept if it was read before it was dropped', async () => {
    const history = newHistory();
    read.mockImplementationOnce(() => {
      history.forgetOnCommit([1]);
      return Promise.resolve([]);
    });
    await exchange(history, 1, 12, 'Hi', 10);
    await exchange(history, 1, 14, 'Hi', 12);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is evicted by its bytes, however many messages it has', async () => {
    const history = newHistory();
    const text = 'x'.repeat(200_000);
    for (let chatId = 1; chatId <= 100; chatId++) {
      await exchange(history, chatId, 12, text, 10);
    }
    const remembered = history['remembered'];
    expect(remembered.calculatedSize).toBeLessThanOrEqual(32 * 1_024 * 1_024);
    expect(remembered.size).toBeGreaterThan(30);
    await exchange(history, 100, 14, text, 12);
    expect(read).toHaveBeenCalledTimes(100);
    await exchange(history, 1, 14, text, 12);
    expect(read).toHaveBeenCalledTimes(101);
  });

  it('is freed when the conversation is idle, even without another read', async () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    const time = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const rest = (minutes: number): void => {
      time.mockReturnValue(performance.now() + minutes * 60_000);
      jest.advanceTimersByTime(minutes * 60_000);
    };
    const history = newHistory();
    await exchange(history, 1, 12, 'Hi', 10);
    const remembered = history['remembered'];
    rest(4);
    expect(remembered.size).toBe(1);
    rest(2);
    expect(remembered.size).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });
});
