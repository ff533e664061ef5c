import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WriteAudit } from '../../src/common/audit/audit.interceptor';
import { CommonModule } from '../../src/common/common.module';
import { RedisModule } from '../../src/common/redis/redis.module';
import { WITHOUT_KEY } from '../../src/common/security/principal';
import { ServiceSecretModule } from '../../src/common/security/service-secret.module';
import { Database } from '../../src/database/database';
import { DatabaseModule } from '../../src/database/database.module';
import { UserService } from '../../src/modules/user/management/user.service';
import { UserModule } from '../../src/modules/user/user.module';
import type { WebhookWithSecretDto } from '../../src/modules/webhook/management/webhook.dto';
import { WebhookService } from '../../src/modules/webhook/management/webhook.service';
import { WebhookModule } from '../../src/modules/webhook/webhook.module';
import { partOfService } from '../support/service-features';

/** The part of the service that webhooks need, without HTTP: it starts in a fraction of the time. */
export async function startWebhookService(databaseUrl: string): Promise<INestApplicationContext> {
  const environment = {
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    JWT_SECRET: 'kS8rTq1vZx4NwYb7UeHc2MdGf5JpLa9oRt3WiXu6',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  };
  class WebhookParts {}
  class WithoutAudit {}
  Module({
    imports: partOfService(environment, [
      DatabaseModule.forRoot(),
      CommonModule,
      ServiceSecretModule,
      RedisModule,
      // The administrators' controllers require it.
      { module: WithoutAudit, global: true, providers: [{ provide: WriteAudit, useValue: {} }], exports: [WriteAudit] },
      UserModule,
      WebhookModule,
    ]),
  })(WebhookParts);
  const context = await NestFactory.createApplicationContext(WebhookParts as Type, { logger: ['error'] });
  await context.get(Database).whenReady();
  return context;
}

/** Creates a user with an endpoint for all events, and returns the endpoint. */
export async function createSubscriber(
  context: INestApplicationContext,
  username: string,
  url: string,
): Promise<WebhookWithSecretDto> {
  const { id } = await context
    .get(Database)
    .write((manager) =>
      context.get(UserService).create(manager, { username, email: `${username}@example.com`, passwordHash: null }),
    );
  const principal = {
    userId: id,
    sessionId: 0,
    ...WITHOUT_KEY,
    userType: 'normal',
    tier: 'normal',
    language: null,
    groupIds: [],
    defaultAgentId: null,
  } as const;
  const request = { principal, requestId: '', address: '127.0.0.1', userAgent: null, language: 'en' } as const;
  return context.get(WebhookService).create(request, { url, events: ['*'] });
}
