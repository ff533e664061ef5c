import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { fake } from '../../../../test/support/fake';
import { LiveReply } from '../../generation/reply/live-reply';
import type { ReplyEnd } from '../../generation/reply/reply-end';
import { EventStreamWriter } from './formats/event-stream-writer';
import { PlainTextWriter } from './formats/plain-text-writer';
import { ReplyPump } from './reply-pump';

const END: ReplyEnd = { status: 'completed', finishReason: 'stop', usage: null, failure: null, title: null };

/** A response whose reader accepts a set amount. */
class SlowResponse extends EventEmitter {
  writes: string[] = [];
  hasEnded = false;
  hasHead = false;
  destroyed = false;
  timeout = 0;

  constructor(public room = Infinity) {
    super();
  }

  write(text: string): boolean {
    this.writes.push(text);
    this.room -= text.length;
    return this.room > 0;
  }

  end(text: string): this {
    this.writes.push(text);
    this.hasEnded = true;
    return this;
  }

  flushHeaders(): void {
    this.hasHead = true;
  }

  setTimeout(milliseconds: number): this {
    this.timeout = milliseconds;
    return this;
  }

  get text(): string {
    return this.writes.join('').split('\n__TOKEN_USAGE__')[0] ?? '';
  }
}

function pump(reply: LiveReply, response: SlowResponse, offset = 0): void {
  new ReplyPump(reply, new PlainTextWriter('en'), fake<Response>(response), offset).start();
}

function events(reply: LiveReply, response: SlowResponse, offset = 0): ReplyPump {
  return new ReplyPump(reply, new EventStreamWriter('en'), fake<Response>(response), offset);
}

/** Names and texts of the events that contain text. */
function piecesOf({ writes }: SlowResponse): string[] {
  const pieces = writes.join('').matchAll(/^event: (\w+)\nid: \d+\ndata: \{"text":"(.*)"\}$/gm);
  return [...pieces].map(([, name, text]) => `${name} ${text}`);
}

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));

describe('writing a reply to a reader', () => {
  it('writes each piece in the tick in which it arrives', async () => {
    const reply = new LiveReply(1, 2, 3);
    const response = new SlowResponse();
    pump(reply, response);
    reply.append('Hel');
    await nextTick();
    reply.append('lo');
    await nextTick();
    expect(response.writes).toEqual(['Hel', 'lo']);
  });

  it('sends pieces of one tick in one write, together with the end', async () => {
    const reply = new LiveReply(1, 2, 3);
    const response = new SlowResponse();
    pump(reply, response);
    reply.append('Hel');
    reply.append('lo');
    reply.finish(END);
    await nextTick();
    expect(response.writes).toHaveLength(1);
    expect(response.text).toBe('Hello');
    expect(response.hasEnded).toBe(true);
  });

  it('buffers nothing for a reader who does not read, and continues where the reader stopped', async () => {
    const reply = new LiveReply(1, 2, 3);
    const response = new SlowResponse(10);
    pump(reply, response);
    for (let index = 0; index < 1_000; index++) {
      reply.append(`piece ${index} `);
      await nextTick();
    }
    const untilBlocked = response.writes.length;
    expect(untilBlocked).toBeLessThan(5);
    expect(response.timeout).toBeGreaterThan(0);
    reply.finish(END);
    response.room = Infinity;
    response.emit('drain');
    await nextTick();
    expect(response.text).toBe(reply.text);
    expect(response.hasEnded).toBe(true);
    expect(response.timeout).toBe(0);
  });

  it('never splits a character, however long the text that a slow reader has missed', async () => {
    const reply = new LiveReply(1, 2, 3);
    const response = new SlowResponse(1);
    reply.append(`a${'😀'.repeat(40_000)}`);
    pump(reply, response);
    for (let turn = 0; turn < 20 && !response.hasEnded; turn++) {
      await nextTick();
      response.room = 1;
      response.emit('drain');
    }
    expect(response.writes.every((text) => text.isWellFormed())).toBe(true);
    expect(response.text).toBe(reply.text);
  });

  it('starts at the offset, even one that the text has not reached yet', async () => {
    const reply = new LiveReply(1, 2, 3);
    reply.append('Hello');
    const [behind, ahead] = [new SlowResponse(), new SlowResponse()];
    pump(reply, behind, 2);
    pump(reply, ahead, 7);
    await nextTick();
    reply.append(' you');
    await nextTick();
    expect(behind.text).toBe('llo you');
    expect(ahead.text).toBe('ou');
  });

  it('starts with the whole character if the offset is inside one, written already or not yet', async () => {
    const reply = new LiveReply(1, 2, 3);
    reply.append('a😀b');
    const [behind, ahead] = [new SlowResponse(), new SlowResponse()];
    pump(reply, behind, 2);
    pump(reply, ahead, 5);
    reply.append('🙂c');
    await nextTick();
    expect(behind.text).toBe('😀b🙂c');
    expect(ahead.text).toBe('🙂c');
  });

  it('sends the headers if there is no text yet', () => {
    const reply = new LiveReply(1, 2, 3);
    reply.append('Hello');
    const response = new SlowResponse();
    pump(reply, response, 5);
    expect(response.hasHead).toBe(true);
  });

  it('writes reasoning as it arrives, and sends a late or slow reader the missed part before the text', async () => {
    const reply = new LiveReply(1, 2, 3);
    const [live, slow, late, resumed] = Array.from({ length: 4 }, () => new SlowResponse());
    slow!.room = 1;
    events(reply, live!).start();
    events(reply, slow!).start();
    await nextTick();
    reply.reason('Let ');
    await nextTick();
    reply.reason('me');
    reply.append('Hi');
    events(reply, late!).start();
    events(reply, resumed!, 1).start();
    await nextTick();
    slow!.room = Infinity;
    slow!.emit('drain');
    await nextTick();
    expect(piecesOf(live!)).toEqual(['reasoning Let ', 'reasoning me', 'delta Hi']);
    expect(piecesOf(slow!)).toEqual(['reasoning Let me', 'delta Hi']);
    expect(piecesOf(late!)).toEqual(['reasoning Let me', 'delta Hi']);
    expect(piecesOf(resumed!)).toEqual(['delta i']);
  });

  it("does not repeat reasoning from before the reader's text, even from another instance", async () => {
    const reply = new LiveReply(1, 2, 3);
    const response = new SlowResponse();
    reply.reason('Let ');
    events(reply, response, 2).start();
    await nextTick();
    reply.reason('me');
    reply.append('Hi there');
    reply.reason('Done');
    await nextTick();
    expect(piecesOf(response)).toEqual(['delta  there', 'reasoning Done']);
  });

  it("sends reasoning from the reader's position, even one that has not arrived here yet", async () => {
    const reply = new LiveReply(1, 2, 3);
    const response = new SlowResponse();
    reply.reason('Let ');
    new ReplyPump(reply, new EventStreamWriter('en'), fake<Response>(response), 2, null, 6).start();
    await nextTick();
    reply.reason('me');
    reply.append('Hi');
    reply.reason(' see');
    reply.append('!');
    await nextTick();
    expect(piecesOf(response)).toEqual(['reasoning  see', 'delta !']);
  });

  it('is detached when the reader disconnects', () => {
    const reply = new LiveReply(1, 2, 3);
    const response = new SlowResponse();
    pump(reply, response);
    expect(reply.hasListeners).toBe(true);
    response.emit('close');
    expect(reply.hasListeners).toBe(false);
  });

  it('pings an idle reader, but not one who is behind or finished', async () => {
    const reply = new LiveReply(1, 2, 3);
    const response = new SlowResponse();
    const pinged = events(reply, response);
    pinged.start();
    await nextTick();
    pinged.ping();
    await nextTick();
    expect(response.writes.at(-1)).toBe(': ping\n\n');
    reply.finish(END);
    await nextTick();
    const { length } = response.writes;
    pinged.ping();
    await nextTick();
    expect(response.writes).toHaveLength(length);
  });
});
