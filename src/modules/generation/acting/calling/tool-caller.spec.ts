import { setImmediate as nextTurn } from 'node:timers/promises';
import { fake } from '../../../../../test/support/fake';
import type { ToolCallEntity } from '../../actions/tool-call.entity';
import type { GenerationTask } from '../../reply/generation-task';
import type { ReplyDriver } from '../../reply/reply-driver';
import type { ReplyOrigin } from '../../reply/reply-origin';
import { RunningReply } from '../../reply/running-reply';
import type { RoundStore } from '../round.store';
import type { DecidedCalls } from './decided-calls';
import { ToolCaller } from './tool-caller';

function callOf(number: number, state: ToolCallEntity['state'], result: string | null = null): ToolCallEntity {
  const endedAt = result === null ? null : new Date();
  const call = { id: number + 1, number, state, result, endedAt, isError: false, durationMs: 1 };
  return fake<ToolCallEntity>({
    ...call,
    policy: 'auto',
    arguments: {},
    proposedArguments: null,
    server: null,
    source: null,
    name: 'book',
  });
}

function deferred<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Value>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  return { promise, resolve, reject };
}

/** One call that is made and one that waits, and a decision about another call while the first one is made. */
function setUp() {
  const making = deferred<void>();
  const slow = deferred<ToolCallEntity[]>();
  const calls = jest
    .fn()
    .mockResolvedValueOnce([callOf(0, 'approved'), callOf(1, 'waiting')])
    .mockReturnValueOnce(slow.promise)
    .mockResolvedValue([callOf(0, 'succeeded', 'Booked.'), callOf(1, 'waiting')]);
  const decided = { listen: () => ({ next: () => Promise.resolve(), end: () => undefined }) };
  const nothing = {} as never;
  const caller = new ToolCaller(
    nothing,
    nothing,
    fake<RoundStore>({ calls }),
    nothing,
    nothing,
    nothing,
    nothing,
    nothing,
    nothing,
    nothing,
    nothing,
    nothing,
    nothing,
    fake<DecidedCalls>(decided),
    nothing,
    nothing,
    nothing,
  );
  Object.assign(caller, { make: () => making.promise });
  const task = fake<GenerationTask>({ options: { instructions: null, parameters: {}, tools: [] } });
  const reply = new RunningReply(1, 2, 3, task, {} as ReplyOrigin, {} as ReplyDriver);
  reply.callTool('call_3_0', 'book');
  reply.callTool('call_3_1', 'pay');
  /** The rows are read while the first call is running, and arrive after it has ended. */
  const read = async (end: () => void): Promise<void> => {
    while (calls.mock.calls.length < 2) await nextTurn();
    end();
    await nextTurn();
    slow.resolve([callOf(0, 'running'), callOf(1, 'waiting')]);
  };
  return { caller, reply, making, read };
}

describe('a tool call that ends while the calls are read', () => {
  it('has its result shown before the reply waits', async () => {
    const { caller, reply, making, read } = setUp();
    const settled = caller.settle(reply);
    await read(() => making.resolve());
    expect(await settled).toBe(true);
    expect(reply.toolResults).toMatchObject([{ id: 'call_3_0', content: 'Booked.' }]);
  });

  it('ends the round with its failure', async () => {
    const { caller, reply, making, read } = setUp();
    const settled = caller.settle(reply);
    const failed = expect(settled).rejects.toThrow('The run is lost.');
    await read(() => making.reject(new Error('The run is lost.')));
    await failed;
  });
});
