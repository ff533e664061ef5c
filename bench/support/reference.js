const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { sign } = require('jsonwebtoken');
const { seedReference } = require('../reference/seed.js');
const { call, keptConnections } = require('./client.js');
const { OwnProcess } = require('./own-process.js');

const JWT_SECRET = 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6';

const folders = new Set();
process.once('exit', () => {
  for (const folder of folders) {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The hand-written server of `bench/reference` in its own process, with the data of a running service. */
class Reference {
  /**
   * @param {Service} service source of the users' data; its MariaDB serves both
   * @param {{ id: number, token: string }[]} people
   * @param {{ modelPort: number, profile?: string, node?: string }} options as for the service
   */
  static async start(service, people, { modelPort, profile, node }) {
    const reference = new Reference();
    reference.engine = service.engine;
    reference.agent = keptConnections();
    reference.folder = mkdtempSync(path.join(tmpdir(), 'chat-bench-'));
    folders.add(reference.folder);
    const address = service.mariadb
      ? (await service.mariadb.createDatabase()).url
      : `sqlite:${path.join(reference.folder, 'reference.sqlite')}`;
    await seedReference(address, await copyOf(service, people, modelPort));
    const profiling = profile
      ? ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=reference-${service.engine}.cpuprofile`]
      : [];
    const script = path.join(__dirname, '../reference/server.js');
    reference.launch = () =>
      OwnProcess.start([...profiling, script, address, String(modelPort)], {
        environment: { NODE_ENV: 'production', JWT_SECRET },
        node,
      });
    return Object.assign(reference, await reference.launch());
  }

  /**
   * Starts another process on the same data.
   *
   * @returns {Promise<{ process: OwnProcess, port: number }>}
   */
  startAnother() {
    return this.launch();
  }

  /** The same user with a token of the reference. */
  personOf({ id }) {
    return { id, token: sign({ sid: id }, JWT_SECRET, { subject: String(id), issuer: 'reference', expiresIn: '1d' }) };
  }

  /** @returns {Promise<number>} the id of a new conversation */
  async createChat({ token }) {
    const headers = { authorization: `Bearer ${token}` };
    const body = { title: 'Bench' };
    return (await call(this.agent, { port: this.port, method: 'POST', path: '/api/v1/chat', headers, body })).id;
  }

  async close() {
    await this.process.end();
    this.agent.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Copies these users' data from the service, and the prompt that it sends to the model. */
async function copyOf(service, people, modelPort) {
  const stranger = await service.register('stranger');
  const chat_id = await service.createChat(stranger);
  await service.request('POST', '/chat/message', { token: stranger.token, body: { chat_id, content: '{"chunks":1}' } });
  const [{ content: systemPrompt }] = await call(service.agent, { port: modelPort, path: '/messages' });
  const agents = await service.request('GET', '/chat/agents/active', stranger);
  return { agents, systemPrompt, people: await Promise.all(people.map((person) => personCopy(service, person))) };
}

async function personCopy(service, person) {
  const read = (route) => service.request('GET', route, person);
  const [user, chats, usage] = await Promise.all([
    read('/auth/me'),
    read('/chat?limit=100'),
    read('/user/usage-stats'),
  ]);
  const messages = [];
  for (const { id } of chats.filter(({ message_count }) => message_count > 0)) {
    messages.push(...(await read(`/chat/${id}`)).messages);
  }
  return { user, chats, messages, usage };
}

module.exports = { Reference };
