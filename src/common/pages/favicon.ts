import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application } from 'express';
import { wholeFile } from '../http/whole-file.middleware';

const OPTIONS = {
  root: __dirname,
  maxAge: '1d',
  // An SVG that a browser opens directly is a document and could run scripts.
  headers: { 'Content-Security-Policy': "default-src 'none'" },
};

/** Serves the icon under both names that browsers use. It needs no token and has no rate limit. */
export function registerFavicon(app: NestExpressApplication): void {
  const server = app.getHttpAdapter().getInstance() as Application;
  for (const file of ['favicon.svg', 'favicon.ico']) {
    server.get(`/${file}`, wholeFile, (_request, response) => response.sendFile(file, OPTIONS));
  }
}
