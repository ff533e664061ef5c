import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Application, Response } from 'express';
import { dump } from 'js-yaml';
import { copiedFile } from '../common/copied-file';
import { KeptFile } from '../common/http/kept-file';
import { wholeFile } from '../common/http/whole-file.middleware';
import { openApiDocument } from './openapi-document';

/** The only resource that ReDoc's script loads from another host. The page works without it. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

const ICON = '/favicon.svg';

const NO_PICTURE = 'data:,';

/** An empty document in place of the one that Swagger's module would write into the page. */
const NO_DOCUMENT: OpenAPIObject = { openapi: '3.1.1', info: { title: '', version: '' }, paths: {} };

/** The files of Swagger UI that are worth compressing. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'];

const REDOC_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Chat service – reference</title>
    <link rel="icon" href="${ICON}" />
    <style>body { margin: 0; padding: 0; }</style>
  </head>
  <body>
    <redoc spec-url="/openapi.json" hide-download-button show-extensions="x-access,x-scope"></redoc>
    <script src="/redoc/redoc.standalone.js"></script>
  </body>
</html>
`;

/** The paths of the pages and the document. */
export const DOCUMENTATION_PATHS = ['/docs', '/redoc', '/openapi.json', '/openapi.yaml'];

/**
 * Serves Swagger UI at /docs, ReDoc at /redoc and the document at /openapi.json and /openapi.yaml, without any other
 * host. This folder builds the OpenAPI document from the metadata of the controllers. `openapi-document.ts` lists the
 * steps: `pipeline-errors.ts`, `refine-document.ts` and `response-headers.ts` add what the generator cannot know, and
 * `share-repeated.ts` makes the document small.
 */
export function serveApiDocs(app: INestApplication, publicUrl: string | null): void {
  let document: OpenAPIObject | undefined;
  // Built at the first request, so that it does not slow down the start.
  const lazily = (): OpenAPIObject => (document ??= openApiDocument(app, publicUrl));
  const server = app.getHttpAdapter().getInstance() as Application;
  const serve = (path: string, type: string, read: () => string): void => {
    const file = new KeptFile(type, read);
    server.get(path, (request, response) => file.send(request, response));
  };
  server.use('/docs', wholeFile);
  serve('/openapi.json', 'json', () => JSON.stringify(lazily()));
  serve('/openapi.yaml', 'text/yaml', () => dump(lazily(), { skipInvalid: true, noRefs: true }));
  for (const file of SWAGGER_FILES) {
    serve(`/docs/${file}`, extname(file), () => readFileSync(copiedFile(`swagger-ui-dist/${file}`), 'utf8'));
  }
  SwaggerModule.setup('docs', app, NO_DOCUMENT, {
    raw: false,
    customSwaggerUiPath: copiedFile('swagger-ui-dist'),
    customSiteTitle: 'Chat service – API',
    customfavIcon: ICON,
    swaggerOptions: {
      // The page fetches the document. A script that contains it could be neither compressed nor cached.
      spec: null,
      url: '/openapi.json',
      persistAuthorization: true,
      filter: true,
      docExpansion: 'none',
      showExtensions: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
    },
  });
  server.get('/redoc', (_request, response: Response) => void response.type('html').send(REDOC_PAGE));
  serve('/redoc/redoc.standalone.js', 'text/javascript', () =>
    readFileSync(copiedFile('redoc/bundles/redoc.standalone.js'), 'utf8').replaceAll(REDOC_LOGO, NO_PICTURE),
  );
}
