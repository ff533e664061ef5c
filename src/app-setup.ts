import { RequestMethod } from '@nestjs/common';
import type { CorsOptions, CorsOptionsDelegate } from '@nestjs/common/interfaces/external/cors-options.interface';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { DOCUMENTATION_PATHS, serveApiDocs } from './api-docs/api-docs';
import { ErrorDialects } from './common/errors/error-dialects';
import { Features } from './common/features/features';
import { ApiPaths } from './common/http/api-paths';
import { API_PREFIX } from './common/http/api-prefix';
import { UNKNOWN_ROUTE_EXCLUSION } from './common/http/method-not-allowed/allowed-methods';
import { divertMalformedRequest, divertWrongMethod } from './common/http/method-not-allowed/divert-request.middleware';
import { noStore } from './common/http/no-store.middleware';
import { requestId } from './common/http/request-id.middleware';
import { FastExpressAdapter } from './common/http/server/fast-express-adapter';
import { hardenServer } from './common/http/server/harden-server';
import { LoadGate } from './common/load/load-gate';
import { OverloadRefuser } from './common/load/refuse-overload';
import { requestLog } from './common/logging/request-log.middleware';
import { ServiceLogger } from './common/logging/service-logger';
import { httpMetrics } from './common/metrics/http-metrics.middleware';
import { registerFavicon } from './common/pages/favicon';
import { BrowserPages } from './common/redirects/browser-pages';
import { requestSpans } from './common/tracing/request-span.middleware';
import { Tracing } from './common/tracing/tracing';
import { AppConfig } from './config/app.config';
import { frameOfFeature } from './console-files/frame-of-feature';
import { ROOT as CONSOLE_ROOT, serveConsole } from './console-files/serve-console';
import { serveWebApp } from './console-files/web-app';
import { DEFAULT_NAME, SettingsService } from './modules/user/user.api';

/**
 * Sets up everything that handles a request before the routes. The service and every test prepare their application
 * with it.
 */
export function configureApp(app: NestExpressApplication): void {
  const config = app.get(AppConfig);
  const logger = app.get(ServiceLogger);
  const features = app.get(Features);
  const apis = app.get(ApiPaths);
  app.useLogger(logger);
  // Writes the log lines of the start so far. From now on lines are written immediately, so a failed start loses none.
  app.flushLogs();
  app.set('trust proxy', trustProxy(config.TRUST_PROXY));
  app.setGlobalPrefix(API_PREFIX, {
    exclude: [
      ...['/', 'health', 'health/live', 'health/ready', 'metrics'].map((path) => ({ path, method: RequestMethod.GET })),
      ...apis.others.flatMap((prefix) =>
        [prefix, `${prefix}/*path`].map((path) => ({ path, method: RequestMethod.ALL })),
      ),
      UNKNOWN_ROUTE_EXCLUSION,
    ],
  });
  const origins = config.CORS_ORIGINS?.map(asSentByBrowsers) ?? (config.isProduction ? [] : ['*']);
  refuseOverload(app, origins);
  const unlogged = [...features.all('unlogged'), ...DOCUMENTATION_PATHS, CONSOLE_ROOT];
  const tracing = app.get(Tracing);
  app.use(
    inOneLayer(
      requestId(apis),
      ...(tracing.isOn ? [requestSpans(tracing, unlogged)] : []),
      requestLog(logger, unlogged),
      httpMetrics,
      divertMalformedRequest,
      divertWrongMethod,
      noStore(apis),
      securityHeaders(),
    ),
  );
  const behindPages = features.routesBehindPages();
  if (origins.length > 0 || behindPages.length > 0) {
    app.enableCors(corsFor(origins, features.exposedHeaders(), behindPages));
  }
  for (const { path } of features.pages()) {
    app.use(`/${API_PREFIX}/${path}`, frameOfFeature);
  }
  servePages(app);
  hardenServer(app.getHttpServer());
}

/** Runs middleware in one layer of the router. A layer of its own would take longer than most of these functions. */
function inOneLayer(...steps: RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let done = 0;
    const runNext = (error?: unknown): void => {
      const step = error === undefined ? steps[done++] : undefined;
      if (step) {
        void step(request, response, runNext);
      } else {
        next(error);
      }
    };
    runNext();
  };
}

/** The security headers of every response. They are constant, so helmet computes them once. */
function securityHeaders(): RequestHandler {
  const headers: [name: string, value: string][] = [];
  const recorder = { setHeader: (...header: [string, string]) => headers.push(header), removeHeader: () => undefined };
  const setHeaders = helmet({
    // The service itself has no TLS, so it must not instruct browsers to use it. The proxy in front of it does.
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: null, workerSrc: ["'self'", 'blob:'] } },
  });
  setHeaders({} as Request, recorder as unknown as Response, () => undefined);
  return (_request, response, next) => {
    headers.forEach(([name, value]) => response.setHeader(name, value));
    next();
  };
}

/**
 * Refuses requests before all other handling while the service is overloaded.
 *
 * @param origins from which browsers may call
 */
function refuseOverload(app: NestExpressApplication, origins: string[]): void {
  const features = app.get(Features);
  const apis = app.get(ApiPaths);
  const refuser = new OverloadRefuser({
    gate: app.get(LoadGate),
    dialects: app.get(ErrorDialects),
    paths: apis,
    pages: app.get(BrowserPages),
    urgent: features.all('urgent'),
    origins,
    exposedHeaders: features.exposedHeaders(),
  });
  const server = app.getHttpAdapter();
  if (server instanceof FastExpressAdapter) {
    server.refuses = (request, response) => {
      // First, so that refusals, limits, logs and routes see the same address.
      request.url = apis.withSingleSlashes(request.url ?? '/');
      return refuser.refuses(request, response);
    };
  }
}

/** The pages for browsers: the icon, the console and the API documentation. */
function servePages(app: NestExpressApplication): void {
  const config = app.get(AppConfig);
  registerFavicon(app);
  if (config.CONSOLE_ENABLED) {
    const settings = app.get(SettingsService, { strict: false });
    serveWebApp(app, async () => {
      const { name, logo, colour } = await settings.get();
      return { name: name ?? DEFAULT_NAME, logo, colour };
    });
    serveConsole(app, async (page) => page === 'device' && (await settings.get()).device_login === 'off');
  }
  if (config.DOCS_ENABLED) {
    serveApiDocs(app, config.PUBLIC_URL);
    if (config.isProduction) {
      app
        .get(ServiceLogger)
        .warn('DOCS_ENABLED is true: anybody can read the description of the API at /docs and /redoc.');
    }
  }
}

/**
 * Answers the preflight requests of browsers. Every other OPTIONS request goes to the routes, where it is counted.
 *
 * @param behindPages the routes that pages of features call from their frames, whose origin is `null`
 */
function corsFor(
  origins: string[],
  exposedHeaders: string[],
  behindPages: readonly RegExp[],
): CorsOptionsDelegate<Request> {
  const options: CorsOptions = {
    origin: origins.includes('*') ? '*' : origins.length > 0 && origins,
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    exposedHeaders,
    maxAge: 600,
  };
  const withoutPreflight = { ...options, preflightContinue: true };
  return ({ headers, path }, answer) => {
    const isPreflight = headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
    const isOfFrame = headers.origin === 'null' && isBehindPage(path, behindPages);
    const { origin } = isOfFrame ? { origin: 'null' } : options;
    answer(null, { ...(isPreflight ? options : withoutPreflight), origin });
  };
}

function isBehindPage(path: string, routes: readonly RegExp[]): boolean {
  const start = `/${API_PREFIX}/`;
  return path.startsWith(start) && routes.some((route) => route.test(path.slice(start.length)));
}

/** In lower case and without the default port of its scheme, as browsers send it (RFC 6454 §6.2). */
function asSentByBrowsers(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).origin : origin;
}

function trustProxy(setting: string): boolean | number | string {
  if (setting === 'off') {
    return false;
  }
  return /^\d+$/.test(setting) ? Number(setting) : setting;
}
