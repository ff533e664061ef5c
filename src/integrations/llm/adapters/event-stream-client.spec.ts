import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SystemNameResolver } from '../../../common/network/network.module';
import { LlmConfig } from '../llm.config';
import { GenerationAbortedError } from '../port/llm.errors';
import { ProviderTargets } from '../providers/provider-targets';
import { EventStreamClient } from './event-stream-client';
import type { EventStreamReader } from './event-stream-response';

const OPEN_REPLIES = 12;
const PROMPT_BYTES = 8 * 1_024 * 1_024;

const READER: EventStreamReader = {
  isComplete: false,
  hasFinished: false,
  onAnswered: () => undefined,
  onEvent: () => undefined,
  onBody: () => undefined,
  onEnd: () => undefined,
};

describe('EventStreamClient', () => {
  let server: Server;
  let client: EventStreamClient;
  let status = 200;
  const received: { bytes: number; length: string | undefined; encoding: string | undefined }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      let bytes = 0;
      request.on('data', (part: Buffer) => (bytes += part.length));
      request.on('end', () => {
        received.push({ bytes, length, encoding });
        // The answer starts, and stays open.
        response.writeHead(status, { 'content-type': 'text/event-stream' }).write('data: begun\n\n');
        if (status !== 200) response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    client = new EventStreamClient(
      { address: new URL(`http://127.0.0.1:${port}/v1/chat`), headers: {}, key: null },
      new ProviderTargets(new LlmConfig(), new SystemNameResolver()),
    );
  });

  afterAll(async () => {
    await client.close();
    server.close();
  });

  afterEach(() => {
    status = 200;
    received.length = 0;
  });

  it.each([302, 400, 500])('does not treat %i as accepting the request', async (refusal) => {
    status = refusal;
    const onAnswered = jest.fn();
    const posted = client.post({}, { ...READER, onAnswered }, new AbortController().signal);
    await expect(posted).rejects.toMatchObject({ providerStatus: refusal });
    expect(onAnswered).not.toHaveBeenCalled();
  });

  it('sends the whole body with its length, and releases it once the answer has started', async () => {
    const stopping = new AbortController();
    const before = usedBytes();
    const ends: Promise<unknown>[] = [];
    for (let reply = 0; reply < OPEN_REPLIES; reply++) {
      await new Promise<void>((begun) => {
        const messages = [{ role: 'user', content: `${'é'.repeat(PROMPT_BYTES / 2)}${reply.toString(16)}` }];
        const onEvent = (): void => {
          // Like `ReplyRunner`.
          messages.length = 0;
          begun();
        };
        ends.push(client.post({ messages }, { ...READER, onEvent }, stopping.signal).catch((error: unknown) => error));
      });
    }
    // The last one may still be in a variable, and modules of other tests load concurrently.
    expect(usedBytes() - before).toBeLessThan((OPEN_REPLIES / 2) * PROMPT_BYTES);
    const bytes = Buffer.byteLength('{"messages":[{"role":"user","content":""}]}') + PROMPT_BYTES + 1;
    expect(received).toEqual(
      Array.from({ length: OPEN_REPLIES }, () => ({ bytes, length: String(bytes), encoding: undefined })),
    );
    stopping.abort();
    expect(await Promise.all(ends)).toEqual(
      Array.from({ length: OPEN_REPLIES }, () => expect.any(GenerationAbortedError) as unknown),
    );
  });
});

/** Memory for objects and buffers, without garbage. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
