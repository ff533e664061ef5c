import { createUser, type TestAccount } from './accounts';
import { modelEnvironment } from './chat-app';
import { ChatClient } from './chat-client';
import { ServiceProcess } from './chat-process';
import { ConsoleChat } from './console-chat';
import { openWindow } from './console-window';
import { type ModelServer, startModelServer } from './model-server/model-server';
import { endOwnerLeases } from './owner-leases';
import { createMigratedDatabase } from './servers/migrated-database';
import type { TestDatabase } from './servers/sql-server';
import { closeWindows } from './shared-browser';
import { startTestApp } from './test-app';

/** The built service with its console in its own process, which can be killed, and a browser. Needs `npm run build`. */
export class ConsoleProcess {
  private constructor(
    readonly model: ModelServer,
    private readonly database: TestDatabase,
    private readonly environment: Record<string, string>,
    private readonly account: TestAccount,
    private service: ServiceProcess,
  ) {}

  static async start(): Promise<ConsoleProcess> {
    const model = await startModelServer();
    const database = await createMigratedDatabase();
    const app = await startTestApp({ DATABASE_URL: database.url, ...modelEnvironment(model) });
    const account = await createUser(app);
    await app.close();
    const service = await ServiceProcess.start(app.environment);
    return new ConsoleProcess(model, database, app.environment, account, service);
  }

  /** The chat page of the only user. */
  async visit(): Promise<ConsoleChat> {
    const tokens = { refresh_token: this.account.refreshToken };
    const page = await openWindow(new URL(this.service.url).origin, tokens, {});
    return new ConsoleChat(page, this.account, new ChatClient(this.service.url, this.account.token));
  }

  async kill(): Promise<void> {
    await this.service.end('SIGKILL');
    await endOwnerLeases(this.database.url);
  }

  /** The folder of the killed one. */
  async startAgain(): Promise<void> {
    this.service = await ServiceProcess.start({ ...this.environment, PORT: new URL(this.service.url).port });
  }

  async close(): Promise<void> {
    await closeWindows();
    await this.service.end('SIGKILL');
    await this.model.close();
    await this.database.drop();
  }
}
