import { Agent, get, type IncomingMessage } from 'node:http';
import { useChatApp } from '../support/use-app';

describe('a browser that returns with a failure', () => {
  const app = useChatApp();

  it.each(['/auth/oidc/none/callback?error=access_denied', '/oauth/mcp/callback'])(
    'keeps its connection: %s',
    async (path) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ports: (number | undefined)[] = [];
      for (let times = 0; times < 3; times++) {
        const answer = await new Promise<IncomingMessage>((resolve, reject) => {
          get(`${app.url}${path}`, { agent }, resolve).once('error', reject);
        });
        expect(answer.statusCode).toBe(302);
        expect(answer.headers.location).toMatch(/\/console.*error=/);
        ports.push(answer.socket.localPort);
        await answer.resume().toArray();
      }
      expect(new Set(ports).size).toBe(1);
      agent.destroy();
    },
  );
});
