import { fake } from '../../../../test/support/fake';
import { Lifecycle } from '../../../common/lifecycle';
import type { GenerationTask } from '../reply/generation-task';
import type { ReplyDriver } from '../reply/reply-driver';
import type { ReplyEnd } from '../reply/reply-end';
import type { ReplyOrigin } from '../reply/reply-origin';
import { ReplyRegistry } from '../reply/reply-registry';
import { RunningReply } from '../reply/running-reply';
import { applyNews, FollowedReply } from './reply-follower';
import { type InstanceChannels, type ReplyNews, ReplyRelay } from './reply-relay';

const END: ReplyEnd = { status: 'completed', finishReason: 'stop', usage: null, failure: null, title: null };

/** Channels between an instance that writes a reply and one that follows it. */
class FakeChannels {
  news: ReplyNews[] = [];
  ask: (messageId: number, offset: number, reasoningOffset?: number) => void = () => undefined;
  stop: (messageId: number) => void = () => undefined;

  onNewsRequest(handler: (messageId: number, offset: number, reasoningOffset?: number) => void): void {
    this.ask = handler;
  }

  onStopRequest(handler: (messageId: number) => void): void {
    this.stop = handler;
  }

  sendNews(_messageId: number, news: ReplyNews): void {
    this.news.push(news);
  }
}

function setUp(): { channels: FakeChannels; reply: RunningReply } {
  const channels = new FakeChannels();
  const registry = new ReplyRegistry(new Lifecycle());
  const reply = new RunningReply(1, 2, 3, {} as GenerationTask, {} as ReplyOrigin, {} as ReplyDriver);
  registry.add(reply);
  new ReplyRelay(fake<InstanceChannels>(channels), registry).onModuleInit();
  return { channels, reply };
}

describe('sending a reply to other instances', () => {
  it('starts when an instance requests it, with the part that this instance is missing', () => {
    const { channels, reply } = setUp();
    reply.append('Hello');
    expect(channels.news).toEqual([]);
    channels.ask(3, 2);
    reply.append(' you');
    reply.finish(END);
    expect(channels.news).toEqual([
      { offset: 2, text: 'llo', isAlive: true, hasEnded: false },
      { offset: 5, text: ' you', isAlive: true, hasEnded: false },
      { offset: 9, text: '', isAlive: true, hasEnded: true },
    ]);
  });

  it('reports that the provider refuses, so that remote readers wait as local ones do', () => {
    const { channels, reply } = setUp();
    const followed = new FollowedReply(1, 2, 3);
    channels.ask(3, 0);
    reply.showRefusal();
    reply.showRefusal();
    expect(channels.news.map(({ isRefused }) => isRefused)).toEqual([undefined, true]);
    channels.news.forEach((news) => applyNews(followed, news));
    expect([followed.isRefused, followed.retriedAt]).toEqual([true, null]);
    reply.showRetry();
    reply.showRetry();
    expect(channels.news.slice(2)).toEqual([expect.objectContaining({ isRefused: true, isAskedAgain: true })]);
    applyNews(followed, channels.news.at(-1) as ReplyNews);
    expect(followed.retriedAt).toEqual(expect.any(Number));
    reply.showRefusal();
    applyNews(followed, channels.news.at(-1) as ReplyNews);
    expect(followed.retriedAt).toBeNull();
  });

  it('includes reasoning, from the missing position', () => {
    const { channels, reply } = setUp();
    reply.reason('Let me');
    channels.ask(3, 0, 4);
    reply.reason(' think');
    expect(channels.news).toEqual([
      { offset: 0, text: '', reasoningOffset: 4, reasoning: 'me', isAlive: true, hasEnded: false },
      { offset: 0, text: '', reasoningOffset: 6, reasoning: ' think', isAlive: true, hasEnded: false },
    ]);
  });

  it('reports the first output of the model', () => {
    const { channels, reply } = setUp();
    channels.ask(3, 0);
    reply.showLife();
    reply.showLife();
    expect(channels.news.map(({ isAlive }) => isAlive)).toEqual([false, true]);
  });

  it('sends each piece once, however many instances request it', () => {
    const { channels, reply } = setUp();
    channels.ask(3, 0);
    channels.ask(3, 0);
    channels.news = [];
    reply.append('Hello');
    expect(channels.news).toHaveLength(1);
  });

  it('stops the reply for them and ignores unknown replies', () => {
    const { channels, reply } = setUp();
    channels.stop(99);
    channels.ask(99, 0);
    expect([reply.abortReason, channels.news]).toEqual([null, []]);
    channels.stop(3);
    expect([reply.abortReason, reply.signal.aborted]).toEqual(['stopped', true]);
  });
});

describe('a followed reply', () => {
  it('grows by new pieces in order and without gaps', () => {
    const reply = new FollowedReply(1, 2, 3);
    reply.extend(0, 'Hel');
    reply.extend(5, 'late');
    reply.extend(1, 'ello');
    reply.extend(0, 'He');
    expect(reply.text).toBe('Hello');
  });

  it('receives reasoning in the same way', () => {
    const reply = new FollowedReply(1, 2, 3);
    reply.extendReasoning(0, 'Let');
    reply.extendReasoning(9, 'late');
    reply.extendReasoning(0, 'Let me');
    expect([reply.reasoning, reply.text]).toEqual(['Let me', '']);
  });
});
