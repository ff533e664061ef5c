import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { dump } from 'js-yaml';
import { openApiDocument } from './api-docs/openapi-document';
import { AppModule } from './app.module';
import { configureApp } from './app-setup';
import { FastExpressAdapter } from './common/http/server/fast-express-adapter';

/** Writes openapi.json and openapi.yaml into the working folder. It does not start the service or open a database. */
async function writeDocuments(): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.register({
      NODE_ENV: 'test',
      DATABASE_URL: `sqlite:${join(tmpdir(), 'unused.sqlite')}`,
      LOG_LEVEL: 'silent',
    }),
    new FastExpressAdapter(),
    { bodyParser: false, logger: false },
  );
  configureApp(app);
  const document = openApiDocument(app);
  writeFileSync('openapi.json', `${JSON.stringify(document, null, 2)}\n`);
  writeFileSync('openapi.yaml', dump(document, { noRefs: true }));
  await app.close();
}

void writeDocuments();
