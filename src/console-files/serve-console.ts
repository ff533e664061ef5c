import type { INestApplication } from '@nestjs/common';
import type { Application, NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { NotFoundError } from '../common/errors/common.errors';
import { wholeFile } from '../common/http/whole-file.middleware';
import { ServiceLogger } from '../common/logging/service-logger';
import { renderPage } from '../common/pages/page';
import { AppConfig } from '../config/app.config';
import { ConsoleFiles } from './console-files';

/** Where the console is. */
export const ROOT = '/console';

/** Scripts, styles and requests from here alone. Pictures may also come from the page itself: previews of files. */
const contentSecurityPolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'blob:', 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    manifestSrc: ["'self'"],
    frameSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

/** The page of the frame that draws diagrams: it has no origin, and reaches nothing but its own scripts. */
const DIAGRAM_PAGE = 'diagram.html';

const DIAGRAM_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // A diagram is measured with its own style.
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ');

const PERMISSIONS_POLICY = 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()';

/**
 * Serves the console at /console: its files under their names, and its one page at every other path, because the page
 * itself reads the path.
 */
export function serveConsole(app: INestApplication): void {
  const config = app.get(AppConfig);
  const files = app.get(ConsoleFiles);
  if (!files.areBuilt) {
    app.get(ServiceLogger).warn('The console is not built, so /console only says so. To build it: npm run build');
  }
  const server = app.getHttpAdapter().getInstance() as Application;
  server.get(`${ROOT}{/*path}`, wholeFile, contentSecurityPolicy, moreHeaders, async (request, response, next) => {
    const path = request.path.slice(ROOT.length + 1);
    const file = files.find(path) ?? (isOfFile(path) ? undefined : files.page());
    if (path === DIAGRAM_PAGE) {
      response.setHeader('Content-Security-Policy', DIAGRAM_POLICY);
      response.setHeader('X-Frame-Options', 'SAMEORIGIN');
    } else if (path.startsWith('assets/diagram-')) {
      // Who asks for these has no origin.
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    }
    if (file) {
      await file.send(request, response);
    } else if (files.areBuilt) {
      next(new NotFoundError());
    } else {
      response.status(503).send(renderPage('console_missing', config, request, response));
    }
  });
}

/** Whether the path would name a file. Pages of the console have no suffix in their paths. */
function isOfFile(path: string): boolean {
  return /^assets(?:\/|$)/.test(path) || /\.[a-z]\w*$/i.test(path);
}

function moreHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Permissions-Policy', PERMISSIONS_POLICY);
  response.setHeader('X-Frame-Options', 'DENY');
  // Links to shared conversations lead here.
  response.setHeader('X-Robots-Tag', 'noindex, nofollow, noarchive');
  next();
}
