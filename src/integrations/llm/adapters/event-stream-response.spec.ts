import type { Dispatcher } from 'undici';
import { fake } from '../../../../test/support/fake';
import { type EventStreamReader, EventStreamResponse, StreamPace } from './event-stream-response';

/** The reply ends with the data `end`, its stream with `mark`. */
class EndReader implements EventStreamReader {
  isComplete = false;
  hasFinished = false;
  readonly data: string[] = [];
  readonly onAnswered = jest.fn();

  onEvent({ data }: { data: string }): void {
    this.data.push(data);
    this.isComplete = data === 'mark';
    this.hasFinished ||= this.isComplete || data === 'end';
  }

  onBody(): void {
    throw new Error('This is no JSON.');
  }

  onEnd(): void {
    if (!this.hasFinished) {
      throw new Error('Nothing has ended it.');
    }
  }
}

describe('EventStreamResponse', () => {
  const reader = (): EndReader => new EndReader();
  const abort = jest.fn();
  const controller = fake<Dispatcher.DispatchController>({
    abort,
    pause: () => undefined,
    resume: () => undefined,
    rawHeaders: null,
  });

  beforeEach(() => {
    jest.useFakeTimers();
    abort.mockClear();
  });

  afterEach(() => jest.useRealTimers());

  function begin(own: EndReader): { response: EventStreamResponse; send: (data: string) => void } {
    const response = new EventStreamResponse(own, null);
    response.onRequestStart(controller);
    response.onResponseStart(controller, 200, {});
    return { response, send: (data) => response.onResponseData(controller, Buffer.from(`data: ${data}\n\n`)) };
  }

  it("ends a reply after the server's end marker, even if the connection stays open", async () => {
    const own = reader();
    const { response, send } = begin(own);
    send('end');
    jest.advanceTimersByTime(4_999);
    send('usage');
    jest.advanceTimersByTime(4_999);
    expect(abort).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    await response.finished;
    expect(own.data).toEqual(['end', 'usage']);
    jest.advanceTimersByTime(1_000);
    expect(abort).toHaveBeenCalledTimes(1);
  });

  it('leaves no timer after the end of the answer', async () => {
    const { response, send } = begin(reader());
    send('end');
    send('mark');
    response.onResponseEnd();
    await response.finished;
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ignores an answer of blank lines, and treats any other answer as accepting the request', () => {
    const own = reader();
    const { response } = begin(own);
    response.onResponseData(controller, Buffer.from('\n\n'));
    expect(own.onAnswered).not.toHaveBeenCalled();
    response.onResponseData(controller, Buffer.from(': wait\n\n'));
    expect(own.onAnswered).toHaveBeenCalledTimes(1);
    response.abort();
    response.finished.catch(() => undefined);
  });

  it.each([
    ['nothing', '', { message: 'Nothing has ended it.' }],
    ['comments', ': OPENROUTER PROCESSING\n\n:\n\n', { message: 'Nothing has ended it.' }],
    ['an event without data', ': wait\r\nevent: ping\r\nid: 1\r\n\r\n', { message: 'Nothing has ended it.' }],
    ['other text', ': wait\n\nService unavailable', { code: 'PROVIDER_ERROR', retryable: false }],
  ])('leaves it to the reader whether a stream without events is a reply: %s', async (_what, text, error) => {
    const { response } = begin(reader());
    const failed = expect(response.finished).rejects.toMatchObject(error);
    response.onResponseData(controller, Buffer.from(text));
    response.onResponseEnd();
    await failed;
  });

  it('treats a request whose answer breaks off as accepted', async () => {
    const own = reader();
    const { response } = begin(own);
    response.onResponseError(null, new Error('cut'));
    await expect(response.finished).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: true });
    expect(own.onAnswered).toHaveBeenCalledTimes(1);
  });
});

describe('StreamPace', () => {
  const source = () => ({ pause: jest.fn(), resume: jest.fn() });

  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('pauses a response that is faster than any model, and resumes it later', () => {
    const [pace, answer] = [new StreamPace(), source()];
    pace.took(40_000, 4, answer);
    expect(answer.pause).not.toHaveBeenCalled();
    pace.took(40_000, 4, answer);
    pace.took(40_000, 4, answer);
    expect(answer.pause).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(49);
    expect(answer.resume).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(answer.resume).toHaveBeenCalledTimes(1);
    pace.took(40_000, 4, answer);
    expect(answer.pause).toHaveBeenCalledTimes(1);
    pace.end();
  });

  it.each([
    ['comes as models send', 1_000, 1],
    ['is little work', 60_000, 0.1],
    ['was slow for another reason', 300, 30],
  ])('does not pause one that %s', (_case, bytes, milliseconds) => {
    const [pace, answer] = [new StreamPace(), source()];
    for (let piece = 0; piece < 20; piece++) {
      pace.took(bytes, milliseconds, answer);
      jest.advanceTimersByTime(20);
    }
    expect(answer.pause).not.toHaveBeenCalled();
  });

  it('lets several of them take turns', () => {
    const flood = () => {
      const [pace, answer] = [new StreamPace(), source()];
      pace.took(60_000, 7, answer);
      return { pace, answer };
    };
    const [first, second] = [flood(), flood()];
    jest.advanceTimersByTime(50);
    expect(first.answer.resume).toHaveBeenCalledTimes(1);
    expect(second.answer.resume).not.toHaveBeenCalled();
    jest.advanceTimersByTime(50);
    expect(second.answer.resume).toHaveBeenCalledTimes(1);
  });

  it('forgets an answer that ends while it is paused', () => {
    const [pace, answer] = [new StreamPace(), source()];
    pace.took(60_000, 7, answer);
    pace.end();
    jest.advanceTimersByTime(1_000);
    expect(answer.resume).not.toHaveBeenCalled();
  });
});
