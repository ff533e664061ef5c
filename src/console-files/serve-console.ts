import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { type INestApplication, Injectable } from '@nestjs/common';
import type { Application, NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { NotFoundError } from '../common/errors/common.errors';
import { KeptFile } from '../common/http/kept-file';
import { wholeFile } from '../common/http/whole-file.middleware';
import { ServiceLogger } from '../common/logging/service-logger';
import { renderPage } from '../common/pages/page';
import { AppConfig } from '../config/app.config';

const PAGE = 'index.html';

/**
 * The files of the console that `npm run build` creates from the folder `console`. The folder is listed at the first
 * request, and each file is read at its first request, so a service whose console is never opened loads none of them.
 */
@Injectable()
export class ConsoleFiles {
  /** The folder of the built service. Code that runs from its sources, as in the tests, uses the same folder. */
  folder = join(__dirname, '../../dist/console');

  private files: Map<string, KeptFile> | undefined;

  get areBuilt(): boolean {
    return existsSync(join(this.folder, PAGE));
  }

  /** The page of the console; undefined if it is not built. */
  page(): KeptFile | undefined {
    return this.find(PAGE);
  }

  /** @param path below the folder, with slashes; must be the exact name of a file */
  find(path: string): KeptFile | undefined {
    if (!this.files && this.areBuilt) {
      this.files = filesIn(this.folder);
    }
    return this.files?.get(path);
  }
}

/** Only the files listed here can be requested: no folders, and no links that lead out of the folder. */
function filesIn(folder: string): Map<string, KeptFile> {
  const root = realpathSync(folder);
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const locations = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  // Newer versions of Node.js also list files behind a link to a folder.
  const own = locations.filter((location) => realpathSync(location) === location);
  return new Map(
    own.map((location) => {
      const path = relative(root, location).replaceAll(sep, '/');
      return [path, new KeptFile(extname(location), () => readFileSync(location), cacheControlOf(path))];
    }),
  );
}

function cacheControlOf(path: string): string | undefined {
  // The names of these contain a hash of their content.
  if (path.startsWith('assets/')) {
    return 'public, max-age=31536000, immutable';
  }
  // The page names the asset files, so a cached page would request files that a new release no longer has.
  return path.endsWith('.html') ? 'no-store' : undefined;
}

/** The path of the console. */
export const ROOT = '/console';

/**
 * Allows scripts, styles and requests only from the console's own origin. Pictures may also come from the page itself,
 * as previews of files.
 */
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

/** The page of the frame that draws diagrams. It has no origin, and can load only its own scripts. */
const DIAGRAM_PAGE = 'diagram.html';

const DIAGRAM_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Diagrams are measured with inline styles.
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
 * routes by path itself.
 *
 * @param isClosed whether a page, such as `device`, is turned off
 */
export function serveConsole(app: INestApplication, isClosed: (page: string) => Promise<boolean>): void {
  const config = app.get(AppConfig);
  const files = app.get(ConsoleFiles);
  if (!files.areBuilt) {
    app.get(ServiceLogger).warn('The console is not built, so /console only says so. To build it: npm run build');
  }
  const server = app.getHttpAdapter().getInstance() as Application;
  server.get(`${ROOT}{/*path}`, wholeFile, contentSecurityPolicy, moreHeaders, async (request, response, next) => {
    const path = request.path.slice(ROOT.length + 1);
    if (await isClosed(path)) {
      next(new NotFoundError());
      return;
    }
    const file = files.find(path) ?? (isOfFile(path) ? undefined : files.page());
    if (path === DIAGRAM_PAGE) {
      response.setHeader('Content-Security-Policy', DIAGRAM_POLICY);
      response.setHeader('X-Frame-Options', 'SAMEORIGIN');
    } else if (path.startsWith('assets/diagram-')) {
      // The frame that requests these files has no origin.
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

/** Whether the path can only be that of a file. Pages of the console have no suffix in their paths. */
function isOfFile(path: string): boolean {
  return /^assets(?:\/|$)/.test(path) || /\.[a-z]\w*$/i.test(path);
}

function moreHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Permissions-Policy', PERMISSIONS_POLICY);
  response.setHeader('X-Frame-Options', 'DENY');
  // Links to shared conversations lead to the console.
  response.setHeader('X-Robots-Tag', 'noindex, nofollow, noarchive');
  next();
}
