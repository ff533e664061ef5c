import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { hardenServer } from './harden-server';

const WHOLE = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const BEGUN = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab';

describe('a hardened server', () => {
  let server: Server;
  let listener: RequestListener;

  beforeEach(async () => {
    server = createServer({ connectionsCheckingInterval: 10 }, (request, response) => listener(request, response));
    hardenServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => new Promise((resolve) => server.close(resolve)));

  function open(): Socket {
    return connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  }

  /** All bytes that arrive until the connection is closed. */
  function received(socket: Socket): Promise<string> {
    let text = '';
    socket.on('data', (data: string) => (text += data)).on('error', () => undefined);
    return new Promise((resolve) => socket.on('close', () => resolve(text)));
  }

  const detailsIn = (answer: string) => JSON.parse(answer.split('\r\n\r\n')[1] ?? '').error.details as object;

  it('sends a slow client an error that the request did not arrive in time', async () => {
    // Only after some bytes have arrived, because a connection without a byte is closed without a response.
    server.once('connection', (connection: Socket) => {
      const arrival = setInterval(() => {
        if (connection.bytesRead > 0) {
          clearInterval(arrival);
          server.headersTimeout = 1;
        }
      }, 1);
    });
    const socket = open();
    socket.write('GET / HTTP/1.1\r\nHost:');
    const answer = await received(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nDate: .* GMT\r\n/);
    expect(answer).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
    expect(detailsIn(answer)).toMatchObject({ field: 'request', reason: 'timed_out' });
  });

  it('closes a connection that received nothing, without an answer', async () => {
    server.headersTimeout = 1;
    expect(await received(open())).toBe('');
  });

  it('answers with the id already assigned to a request with a slow body', async () => {
    listener = (_request, response) => {
      response.setHeader('X-Request-Id', 'known-1');
      server.requestTimeout = 1;
      server.headersTimeout = 1;
    };
    const socket = open();
    socket.write(BEGUN);
    expect(await received(socket)).toContain('\r\nX-Request-Id: known-1\r\n');
  });

  it('answers a complete request before it closes the connection because of invalid data after it', async () => {
    listener = (_request, response) =>
      void server.once('clientError', () => {
        response.writeHead(200, { 'Content-Length': 5 }).write('who');
        // After the turns in which the server discards the rest.
        socket.once('data', () => setImmediate(() => setImmediate(() => response.end('le'))));
      });
    const socket = open();
    socket.write(`${WHOLE}RUBBISH\r\n\r\nMORE\r\n\r\n`);
    const answer = await received(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n[^]*\r\n\r\nwhole$/);
  });

  it('writes nothing into an answer that has started', async () => {
    listener = (_request, response) => void response.write('part');
    const socket = open();
    socket.write(WHOLE);
    socket.once('data', () => socket.write('RUBBISH\r\n\r\n'));
    expect(await received(socket)).toMatch(/\r\n4\r\npart\r\n$/);
  });

  it('lets a client that is still sending read the refusal', async () => {
    const socket = open();
    socket.write(`GET / HTTP/1.1\r\nX-Large: ${'a'.repeat(8_000_000)}`, () => socket.end());
    const answer = await received(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(detailsIn(answer)).toMatchObject({ field: 'headers', reason: 'too_long' });
  });
});
