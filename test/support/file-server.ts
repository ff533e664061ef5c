import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { made } from './use-app';

/** The served content. */
export const NOTES = 'Some notes.';

/** Serves one text file for all tests in a `describe`, and counts its requests. */
export function useFileServer(): FileServer {
  let server: FileServer | undefined;
  afterAll(() => server?.close());
  return made(beforeAll, async () => (server = await FileServer.start()));
}

export class FileServer {
  connections = 0;

  private constructor(private readonly server: Server) {
    server.on('connection', () => this.connections++);
  }

  static async start(): Promise<FileServer> {
    const server = createServer((_request, response) => response.end(NOTES));
    await new Promise<void>((resolve) => server.listen(0, resolve));
    return new FileServer(server);
  }

  get url(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}/notes.txt`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
