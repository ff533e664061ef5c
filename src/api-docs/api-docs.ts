import { readFileSync } from 'node:fs';
import type { INestApplication } from '@nestjs/common';
import { OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Application, Response } from 'express';
import { dump } from 'js-yaml';
import { wholeFile } from '../common/http/whole-file.middleware';
import { openApiDocument } from './openapi-document';

/** A day; the file changes with the release only. */
const SCRIPT_AGE_SECONDS = 86_400;

/** The one thing that ReDoc's script loads from elsewhere; where it does not load, it is left out. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** No icon, said so that browsers do not ask for one. */
const NO_ICON = 'data:,';

const REDOC_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Chat service – reference</title>
    <link rel="icon" href="${NO_ICON}" />
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
  const server = app.getHttpAdapter().getInstance() as Application;
  server.use('/docs', wholeFile);
  let yaml: string | undefined;
  // Not by the module, which would write the same text again for every request.
  server.get('/openapi.yaml', (_request, response) => {
    yaml ??= dump(lazily(), { skipInvalid: true, noRefs: true });
    response.type('text/yaml').send(yaml);
  });
  SwaggerModule.setup('docs', app, lazily, {
    raw: ['json'],
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Chat service – API',
    customfavIcon: NO_ICON,
    swaggerOptions: {
      persistAuthorization: true,
      filter: true,
      docExpansion: 'none',
      displayRequestDuration: true,
      tryItOutEnabled: true,
    },
  });
  server.get('/redoc', (_request, response: Response) => void response.type('html').send(REDOC_PAGE));
  let script: string | undefined;
  server.get('/redoc/redoc.standalone.js', (_request, response: Response) => {
    script ??= readFileSync(require.resolve('redoc/bundles/redoc.standalone.js'), 'utf8').replaceAll(
      REDOC_LOGO,
      NO_ICON,
    );
    response.setHeader('Cache-Control', `public, max-age=${SCRIPT_AGE_SECONDS}`);
    response.type('text/javascript').send(script);
  });
}
