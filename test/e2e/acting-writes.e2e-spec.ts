// @databases mariadb: statements written by hand
import { ServiceUnavailableError } from '../../src/common/errors/common.errors';
import { Database } from '../../src/database/database';
import { RoundStore } from '../../src/modules/generation/acting/round.store';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { resultsOf, useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { EventFeedReader } from '../support/event-feed-reader';
import { eventually } from '../support/eventually';

describe('tools that store data with their result', () => {
  const { app, client, chatWith, calling, saying, actionsOf } = useActing();

  async function bio(): Promise<string | null> {
    const { body } = await client.request<{ id: number }>('/auth/me');
    return (await app.app.get(Database).repository(UserEntity).findOneByOrFail({ id: body.id })).bio;
  }

  const renamed = (what: string) => calledWith('rename', what);

  async function calledWith(name: string, what: string) {
    const chatId = await chatWith([{ name, policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, [name, { what }]);
    await saying(key, 'Done.');
    const { body } = await client.send(chatId, key);
    return { chatId, reply: body[1] };
  }

  it('store both', async () => {
    const { reply } = await renamed('a new name');
    expect(resultsOf(reply)).toEqual(['You are a new name.']);
    expect(await bio()).toBe('a new name');
  });

  it.each(['start', 'succeed'])('store both once if the answer to COMMIT is lost: %s', async (lost) => {
    const [database, runs] = [app.app.get(Database), app.app.get(RoundStore)];
    const [write, apply] = [database.write.bind(database), runs.apply.bind(runs)];
    const works = new Map<unknown, object>();
    let losing: object | undefined;
    let isLost = false;
    jest.spyOn(runs, 'apply').mockImplementation((manager, call, event, ...others) => {
      if (event === lost && !isLost) losing = works.get(manager);
      return apply(manager, call, event, ...others);
    });
    jest.spyOn(database, 'write').mockImplementation(async (work) => {
      const written = await write((manager) => {
        works.set(manager, work);
        return work(manager);
      });
      if (losing === work) {
        isLost = true;
        losing = undefined;
        throw new ServiceUnavailableError();
      }
      return written;
    });
    const chatId = await chatWith([{ name: 'sign', policy: 'auto' }]);
    const key = uniqueContent();
    await calling(key, ['sign', { what: 'once' }]);
    await saying(key, 'Done.');
    const [, reply] = (await client.send(chatId, key)).body;
    expect({ isLost, status: reply.status }).toEqual({ isLost: true, status: 'completed' });
    expect(resultsOf(reply)).toEqual(['Signed.']);
    expect(await bio()).toBe('once');
  });

  it('return what the write returns, unless they return something themselves', async () => {
    const feed = await EventFeedReader.open(app.url, { token: client.token, query: 'kinds=tool.called' });
    const { reply } = await calledWith('label', 'fragile');
    expect(resultsOf(reply)).toEqual(['{"label":"fragile"}']);
    expect(await bio()).toBe('fragile');
    await eventually(() => feed.seen.length > 0);
    await feed.cut();
    expect(feed.seen.map(({ body }) => body.data.state)).toEqual(['succeeded']);
  });

  it('store neither if the write returns what JSON cannot express', async () => {
    const { reply } = await calledWith('label', 'odd');
    expect(reply.parts).toContainEqual(expect.objectContaining({ type: 'tool_call', state: 'unknown' }));
    expect(await bio()).toBeNull();
  });

  it('store neither, and return the reason', async () => {
    const { reply } = await renamed('refused');
    expect(reply.parts).toContainEqual(expect.objectContaining({ type: 'tool_call', state: 'failed' }));
    expect(resultsOf(reply)).toEqual(['That is no name.']);
    expect(await bio()).toBeNull();
  });

  it('store neither if the write fails', async () => {
    const { chatId, reply } = await renamed('broken');
    expect(reply.status).toBe('completed');
    expect(resultsOf(reply)).toEqual([
      'The tool did not respond, but it may have acted. Check its effect before you call it again.',
    ]);
    expect(await actionsOf(chatId)).toEqual([]);
    expect(await bio()).toBeNull();
  });

  it('report the call once, when it has finished', async () => {
    const feed = await EventFeedReader.open(app.url, { token: client.token, query: 'kinds=tool.called' });
    await renamed('broken');
    await renamed('a new name');
    await eventually(() => feed.seen.some(({ body }) => body.data.state === 'succeeded'));
    await feed.cut();
    expect(feed.seen.map(({ body }) => body.data.state)).toEqual(['unknown', 'succeeded']);
  });
});
