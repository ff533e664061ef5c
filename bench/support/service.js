const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
// The test servers are written in TypeScript.
require('../../test/crash/typescript-loader.js');
const { startMariadbServer } = require('../../test/support/servers/mariadb-server.ts');
const { startSmtpServer } = require('../../test/support/servers/smtp-server.ts');
const { call, exchange, keptConnections } = require('./client.js');
const { OwnProcess } = require('./own-process.js');

const PASSWORD = 'a long enough password';

const folders = new Set();
process.once('exit', () => {
  for (const folder of folders) {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Raises limits that a measurement would reach. Everything else is as in production. */
const SETTINGS = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  PORT: '0',
  JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
  MAIL_FROM: 'bench@service.test',
  RATE_LIMIT_NORMAL: '100000000',
  RATE_LIMIT_ADMIN: '100000000',
  RATE_LIMIT_ANONYMOUS: '100000000',
  RATE_LIMIT_AUTH: '100000000',
  CODE_PER_CLIENT_HOURLY: '100000',
  CONCURRENT_NORMAL: '100000',
  QUOTA_FREE_MESSAGES: '100000000',
  QUOTA_FREE_TOKENS: '1000000000000',
};

/** The service in its own process, with its own database and mail server. */
class Service {
  /**
   * @param {'SQLite' | 'MariaDB'} engine
   * @param {{ modelPort: number, folder: string, profile?: string, node?: string, nodeOptions?: string[], environment?:
   * object, bufferPool?: number, database?: string }} options the folder with the build, a folder for a CPU profile,
   * the Node to use, environment variables, MariaDB's buffer pool in bytes, and the URL of an existing database
   */
  static async start(engine, options) {
    const service = new Service();
    service.engine = engine;
    service.options = options;
    service.agent = keptConnections();
    service.folder = mkdtempSync(path.join(tmpdir(), 'chat-bench-'));
    folders.add(service.folder);
    service.mails = await startSmtpServer();
    if (engine === 'MariaDB' && !options.database) {
      service.mariadb = await startMariadbServer({ durable: true, bufferPool: options.bufferPool });
    }
    await service.startProcess();
    return service;
  }

  get databaseFile() {
    return path.join(this.folder, 'bench.sqlite');
  }

  /** Starts the process, or restarts it on the same data after `process.end()`. */
  async startProcess() {
    Object.assign(this, await this.launch());
    await this.whenReady(this.port);
  }

  /**
   * Starts another instance on the same data.
   *
   * @returns {Promise<{ process: OwnProcess, port: number }>}
   */
  async startAnother() {
    const started = await this.launch();
    await this.whenReady(started.port);
    return started;
  }

  launch() {
    const { modelPort, folder, profile, node, nodeOptions = [], environment, database } = this.options;
    const profiling = profile
      ? ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${this.engine}.cpuprofile`]
      : [];
    return OwnProcess.start([...nodeOptions, ...profiling, path.join(folder, 'main.js')], {
      folder: this.folder,
      node,
      environment: {
        ...SETTINGS,
        DATABASE_URL: database ?? this.mariadb?.url ?? `sqlite:${this.databaseFile}`,
        SMTP_URL: this.mails.url,
        LLM_PROVIDER: 'openai-compatible',
        LLM_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
        LLM_MODEL: 'bench',
        ...environment,
      },
    });
  }

  async whenReady(port) {
    for (const deadline = Date.now() + 60_000; ; await delay(50)) {
      const isReady = await call(this.agent, { port, path: '/health/ready' }).then(
        () => true,
        () => false,
      );
      if (isReady) {
        return;
      }
      if (Date.now() > deadline) {
        throw new Error(`The service on ${this.engine} did not become ready.`);
      }
    }
  }

  /** @returns {Promise<any>} the JSON response */
  request(method, route, { token, body } = {}) {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    return call(this.agent, { port: this.port, method, path: `/api/v1${route}`, headers, body });
  }

  /**
   * Registers a user as clients do.
   *
   * @returns {Promise<{ id: number, token: string }>}
   */
  async register(name) {
    const email = `${name}@example.com`;
    await this.request('POST', '/auth/send_code', { body: { email, purpose: 'register' } });
    const mail = await this.mails.waitForMail(email);
    const [code] = /\b\d{6}\b/.exec(mail.text);
    const body = { email, username: name, password: PASSWORD, code };
    const { access_token: token } = await this.request('POST', '/auth/register', { body });
    const { id } = await this.request('GET', '/auth/me', { token });
    return { id, token };
  }

  /** Logs in a registered user. */
  logIn(name) {
    return this.request('POST', '/auth/login', { body: { email: `${name}@example.com`, password: PASSWORD } });
  }

  /** @returns {Promise<number>} the id of a new conversation */
  async createChat({ token }) {
    return (await this.request('POST', '/chat', { token, body: { title: 'Bench' } })).id;
  }

  /** Metrics of the process, by their Prometheus names. */
  async metrics() {
    let text = '';
    await exchange(this.agent, { port: this.port, path: '/metrics' }, (piece) => (text += piece));
    return Object.fromEntries(
      [...text.matchAll(/^(\w+) ([\d.e+]+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
  }

  async close() {
    await this.process.end();
    this.agent.destroy();
    await this.mariadb?.stop();
    await this.mails.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

module.exports = { Service };
