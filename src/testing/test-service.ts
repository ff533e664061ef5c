import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { ImportedModule } from '../common/features/features';
import { MailTransport } from '../integrations/mail/mail-transport';
import type { User } from '../modules/user/account/user.entity';
import { type ModelServer, startModelServer } from './scripted-model/model-server';
import { forgetProviderFailures, type ServiceInstance, startInstance } from './service-instance';
import { createUser } from './test-accounts';
import { TestMailbox } from './test-mailbox';
import { TestUser } from './test-user';
import { WebhookReceiver } from './webhook-receiver';

/** Limits that tests would reach; tests of limits set them themselves. */
export const GENEROUS_LIMITS = {
  RATE_LIMIT_NORMAL: '1000000',
  RATE_LIMIT_PAID: '1000000',
  RATE_LIMIT_ADMIN: '1000000',
  RATE_LIMIT_ANONYMOUS: '1000000',
  RATE_LIMIT_AUTH: '1000000',
  RATE_LIMIT_SIGN_IN: '1000000',
  CODE_PER_CLIENT_HOURLY: '100000',
  CODE_RESEND_SECONDS: '0',
  QUOTA_FREE_MESSAGES: '100000',
  QUOTA_FREE_TOKENS: '100000000',
  // Webhook receivers, downloaded files, and MCP servers are on this machine.
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  MCP_ALLOWED_HOSTS: '127.0.0.1',
};

export interface TestServiceOptions {
  /** The modules under test. */
  features?: readonly ImportedModule[];
  /** Settings. The variables of the process and `.env` files have no effect. */
  environment?: Record<string, string>;
}

/** The whole service in this process, with its own database, mailbox and language model. */
export interface TestService extends ServiceInstance {
  /** The language model of all agents: without a script it replies `Hello from the model.` */
  model: ModelServer;
  mails: TestMailbox;
  /** Its settings, for starting a second instance. */
  environment: Record<string, string>;
  /** @param columns of the account, such as `{ membershipType: 'monthly' }` */
  newUser(columns?: Partial<User>): Promise<TestUser>;
  newAdministrator(): Promise<TestUser>;
  /** A server for webhooks, which stops with the service. */
  receiveWebhooks(): Promise<WebhookReceiver>;
  /** Stops everything and deletes the database. */
  close(): Promise<void>;
}

/**
 * Starts the service for tests of modules. The database is a temporary SQLite file, unless `environment` names another
 * one in `DATABASE_URL`.
 *
 * @example
 * const service = await startTestService({ features: [TicketModule] });
 * const user = await service.newUser();
 * const { status } = await user.post('/tickets', { subject: 'The printer is on fire.' });
 * await service.close();
 */
export async function startTestService({
  features = [],
  environment: settings = {},
}: TestServiceOptions = {}): Promise<TestService> {
  const [folder, model] = await Promise.all([mkdtemp(join(tmpdir(), 'chat-service-')), startModelServer()]);
  const environment = { ...settingsFor(folder, model), ...settings };
  let mails: TestMailbox | undefined;
  const prepare = (app: NestExpressApplication): void => {
    forgetProviderFailures(app);
    mails = new TestMailbox(app.get(MailTransport, { strict: false }));
  };
  const release = async (): Promise<void> => {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  };
  const instance = await startInstance({ environment, features, prepare }).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const receivers: WebhookReceiver[] = [];
  const newUser = async (columns?: Partial<User>): Promise<TestUser> =>
    new TestUser(instance.url, await createUser(instance, columns));
  return {
    ...instance,
    model,
    mails: mails as unknown as TestMailbox,
    environment,
    newUser,
    newAdministrator: () => newUser({ userType: 'admin' }),
    receiveWebhooks: async () => {
      const receiver = await WebhookReceiver.start();
      receivers.push(receiver);
      return receiver;
    },
    close: async () => {
      await instance.app.close();
      await Promise.all(receivers.map((receiver) => receiver.stop()));
      await release();
    },
  };
}

function settingsFor(folder: string, model: ModelServer): Record<string, string> {
  return {
    NODE_ENV: 'test',
    LOG_LEVEL: 'error',
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'test.sqlite')}`,
    JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
    // The mailbox receives the mails, so nothing connects to this address.
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'Chat <chat@service.test>',
    LLM_PROVIDER: 'openai-compatible',
    LLM_BASE_URL: model.openAiUrl,
    LLM_MODEL: 'scripted',
    DOCS_ENABLED: 'false',
    CONSOLE_ENABLED: 'false',
    ...GENEROUS_LIMITS,
  };
}
