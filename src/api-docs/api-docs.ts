import { readFileSync } from 'node:fs';
import type { INestApplication } from '@nestjs/common';
import { OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Application, Response } from 'express';
import { openApiDocument } from './openapi-document';

/** A day; the file changes with the release only. */
const SCRIPT_AGE_SECONDS = 86_400;

const REDOC_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Chat service – reference</title>
    <style>body { margin: 0; padding: 0; }</style>
  </head>
  <body>
    <redoc spec-url="/openapi.json" hide-download-button></redoc>
    <script src="/redoc/redoc.standalone.js"></script>
  </body>
</html>
`;

/** Serves Swagger UI at /docs, ReDoc at /redoc and the document at /openapi.json and /openapi.yaml, all from here. */
export function serveApiDocs(app: INestApplication, publicUrl: string | null): void {
  let document: OpenAPIObject | undefined;
  // Made at the first look, so that it costs the start nothing.
  const lazily = (): OpenAPIObject => (document ??= openApiDocument(app, publicUrl));
  SwaggerModule.setup('docs', app, lazily, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Chat service – API',
    swaggerOptions: {
      persistAuthorization: true,
      filter: true,
      docExpansion: 'none',
      displayRequestDuration: true,
      tryItOutEnabled: true,
    },
  });
  const server = app.getHttpAdapter().getInstance() as Application;
  server.get('/redoc', (_request, response: Response) => void response.type('html').send(REDOC_PAGE));
  let script: Buffer | undefined;
  server.get('/redoc/redoc.standalone.js', (_request, response: Response) => {
    script ??= readFileSync(require.resolve('redoc/bundles/redoc.standalone.js'));
    response.setHeader('Cache-Control', `public, max-age=${SCRIPT_AGE_SECONDS}`);
    response.type('text/javascript').send(script);
  });
}
