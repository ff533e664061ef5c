import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hardenServer } from './harden-server';

/** More than Node reads at once (64 KiB). */
const MANY = 2_400;

const get = (index: number): string => `GET /${index} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Requests whose bodies look like requests. */
const withLength = (index: number): string => {
  const body = `${get(index).repeat(index % 40)}ab`;
  return `POST /${index} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};
const inChunks = (index: number): string =>
  `POST /${index} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1c\r\n${get(1)}\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n`;

const every = (count: number, request: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => request(index)).join('');
const indices = (count: number): string[] => Array.from({ length: count }, (_, index) => `/${index}`);

describe('a connection with pipelined requests', () => {
  let server: Server;
  let listener: RequestListener;
  let connection: Socket;

  beforeEach(async () => {
    server = createServer({ connectionsCheckingInterval: 10 }, (request, response) => listener(request, response));
    hardenServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    // An upgraded socket is no longer a connection of the server.
    connection.destroy();
    await closed;
  });

  async function open(): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
    socket.on('error', () => undefined);
    [connection] = (await once(server, 'connection')) as [Socket];
    return socket;
  }

  /**
   * Sends data, and reads until the given number of answers has arrived. Each answer is the URL of its request in angle
   * brackets.
   */
  function answered(socket: Socket, written: string | Buffer, count: number): Promise<string[]> {
    const answers: string[] = [];
    let unread = '';
    socket.write(written);
    return new Promise((resolve) => {
      socket.on('data', (data: string) => {
        const parts = (unread + data).split('>');
        unread = parts.pop() ?? '';
        answers.push(...parts.map((part) => part.slice(part.lastIndexOf('<') + 1)));
        if (answers.length >= count) {
          resolve(answers);
        }
      });
      socket.once('close', () => resolve(answers));
    });
  }

  /** Waits as many turns of the event loop as Node needs to process everything that has arrived. */
  async function settle(): Promise<void> {
    for (let before = -1; before !== connection.bytesRead;) {
      before = connection.bytesRead;
      for (let turn = 0; turn < 200; turn++) {
        await nextTurn();
      }
    }
  }

  it('starts each request in its own turn, so that other clients are served in between', async () => {
    const begun: string[] = [];
    let other: Promise<string[]> | undefined;
    let inTurn = 0;
    let mostInTurn = 0;
    listener = ({ url = '' }, response) => {
      begun.push(url);
      mostInTurn = Math.max(mostInTurn, ++inTurn);
      setImmediate(() => (inTurn = 0));
      other ??= open().then((socket) => answered(socket, 'GET /other HTTP/1.1\r\nHost: x\r\n\r\n', 1));
      response.end(`<${url}>`);
    };
    expect(await answered(await open(), every(MANY, get), MANY)).toEqual(indices(MANY));
    await other;
    expect(begun.indexOf('/other')).toBeLessThan(begun.indexOf(`/${MANY / 2}`));
    // The other client's requests, and the first of a packet that arrives when none is queued.
    expect(mostInTurn).toBeLessThanOrEqual(3);
  });

  it.each([
    ['without a body', get],
    ['with a length', withLength],
    ['in chunks', inChunks],
  ])(
    'has at most eight of them unanswered, and reads the rest only after one is answered: %s',
    async (_case, request) => {
      const begun: { url: string; response: ServerResponse }[] = [];
      listener = (message, response) => {
        begun.push({ url: message.url ?? '', response });
        message.resume();
      };
      const socket = await open();
      const answers = answered(socket, every(9, request) + request(0).repeat(2_000_000 / request(0).length), 3);
      await settle();
      const [first, second, third] = begun;
      expect(begun.map(({ url }) => url)).toEqual(indices(8));
      expect(connection.bytesRead).toBeLessThan(500_000);
      // The first one is not answered yet, so the client has not received the others either. They still free their
      // slots.
      second?.response.end('</1>');
      third?.response.end('</2>');
      await settle();
      expect(begun.length).toBe(8);
      first?.response.end('</0>');
      expect(await answers).toEqual(indices(3));
      await settle();
      expect(begun.slice(8).map(({ url }) => url)).toEqual(['/8', '/0', '/0']);
      socket.destroy();
      await settle();
      expect(begun.length).toBe(11);
    },
  );

  it.each([1, 2, 3])('finds the end of a request when its last bytes arrive with the next one: %i', async (missing) => {
    const begun: string[] = [];
    listener = ({ url = '' }) => void begun.push(url);
    const socket = await open();
    const eight = every(8, get);
    socket.write(eight.slice(0, -missing));
    await settle();
    socket.write(eight.slice(-missing) + get(8) + get(9));
    await settle();
    expect(begun).toEqual(indices(8));
  });

  it.each([
    ['with a length', withLength],
    ['in chunks', inChunks],
  ])('keeps their bodies intact: %s', async (_case, request) => {
    let unanswered = 0;
    const most: number[] = [];
    listener = (message, response) => {
      most.push(++unanswered);
      let size = 0;
      message.on('data', (part: Buffer) => (size += part.length));
      message.on('end', () =>
        setImmediate(() => {
          unanswered--;
          response.end(`<${message.url}: ${size}>`);
        }),
      );
    };
    const sizeOf = (index: number): number => (request === withLength ? get(index).length * (index % 40) + 2 : 32);
    const expected = indices(200).map((url, index) => `${url}: ${sizeOf(index)}`);
    expect(await answered(await open(), every(200, request), 200)).toEqual(expected);
    expect(Math.max(...most)).toBeLessThanOrEqual(8);
  });

  it('stops reading a large body that the listener does not read, and then reads the next request', async () => {
    const body = 'x'.repeat(1_000_000);
    const large = `POST /0 HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    let take = (): void => undefined;
    listener = (message, response) => {
      const answer = (): unknown => message.resume().on('end', () => response.end(`<${message.url}>`));
      take = () => void answer();
      if (message.url !== '/0') {
        answer();
      }
    };
    const answers = answered(await open(), large + get(1), 2);
    await settle();
    expect(connection.bytesRead).toBeLessThan(500_000);
    take();
    expect(await answers).toEqual(indices(2));
  });

  it('finds each of them when they arrive byte by byte', async () => {
    listener = ({ url }, response) => void response.end(`<${url}>`);
    const socket = await open();
    const answers = answered(socket, '', 20);
    for (const byte of every(20, get)) {
      socket.write(byte);
      await nextTurn();
    }
    expect(await answers).toEqual(indices(20));
  });

  it('keeps what follows large bodies that the listener does not read', async () => {
    const large = (index: number): string => {
      const body = 'x'.repeat(40_000);
      return `POST /${index} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const begun: { url: string; response: ServerResponse }[] = [];
    listener = ({ url = '' }, response) => void begun.push({ url, response });
    const socket = await open();
    const answers = answered(socket, every(30, large), 30);
    for (let count = 0; count < 30; count++) {
      await settle();
      begun[count]?.response.end(`<${begun[count]?.url}>`);
    }
    expect(await answers).toEqual(indices(30));
  });

  it.each(['one packet', 'many packets'])('waits for a client that reads slowly, and sends %s', async (packets) => {
    const count = 40;
    const text = 'x'.repeat(250_000);
    listener = (message, response) => void message.resume().on('end', () => response.end(`${text}<${message.url}>`));
    const socket = await open();
    socket.on('data', () => {
      socket.pause();
      setImmediate(() => socket.resume());
    });
    const answers = answered(socket, packets === 'one packet' ? every(count, withLength) : '', count);
    for (let index = 0; packets === 'many packets' && index < count; index++) {
      socket.write(get(index));
      await nextTurn();
    }
    expect(await answers).toEqual(indices(count));
  });

  it('does not time out a request because it was queued', async () => {
    const responses: ServerResponse[] = [];
    listener = (_request, response) => void responses.push(response);
    const checked = new Promise((resolve) =>
      server.on(
        'clientError',
        ({ code }: NodeJS.ErrnoException) => code === 'ERR_HTTP_REQUEST_TIMEOUT' && resolve(code),
      ),
    );
    const answers = answered(await open(), every(9, get), 9);
    await settle();
    server.headersTimeout = server.requestTimeout = 1;
    await checked;
    server.requestTimeout = 0;
    for (let index = 0; index < 9; index++) {
      responses[index]?.end(`</${index}>`);
      await settle();
    }
    expect(await answers).toEqual(indices(9));
  });

  it('stops reading when requests for an unsupported protocol are unanswered', async () => {
    let begun = 0;
    listener = () => void begun++;
    const socket = await open();
    for (let index = 0; index < 20; index++) {
      socket.write(`GET /${index} HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n`);
      await settle();
    }
    expect(begun).toBe(8);
  });

  it('sends 100 Continue for each request that expects it', async () => {
    listener = (message: IncomingMessage, response) => {
      response.writeContinue();
      message.resume().on('end', () => response.end(`<${message.url}>`));
    };
    const request = (index: number): string =>
      `POST /${index} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`;
    expect(await answered(await open(), every(20, request), 20)).toEqual(indices(20));
  });

  it('starts none after an answer that closes the connection', async () => {
    const begun: string[] = [];
    listener = ({ url = '' }, response) => {
      begun.push(url);
      response.setHeader('Connection', url === '/2' ? 'close' : 'keep-alive').end(`<${url}>`);
    };
    expect(await answered(await open(), every(20, get), 20)).toEqual(indices(3));
    expect(begun).toEqual(indices(3));
  });

  it('passes on what follows an upgrade request to the other protocol', async () => {
    const faults: unknown[] = [];
    server.on('clientError', ({ code }: NodeJS.ErrnoException) => faults.push(code));
    server.on('upgrade', (_request, socket: Socket, head: Buffer) => {
      socket.unshift(head);
      socket.on('data', (data: Buffer) => socket.write(`<${data.toString()}>`));
    });
    listener = ({ url }, response) => void response.end(`<${url}>`);
    const upgrade = 'GET /2 HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nraw\r\n\r\nbytes';
    const socket = await open();
    expect(await answered(socket, every(2, get) + upgrade, 3)).toEqual(['/0', '/1', 'raw\r\n\r\nbytes']);
    expect(await answered(socket, 'more', 1)).toEqual(['more']);
    expect(faults.filter((code) => code !== 'HPE_PAUSED')).toEqual([]);
  });
});
