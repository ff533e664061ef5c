import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, Response } from 'express';
import type { TemplateDelegate } from 'handlebars';
import { type AppConfig } from '../../config/app.config';
import type { ApiPaths } from '../http/api-paths';
import { requestLanguage } from '../i18n/negotiate-language';
import { translate } from '../i18n/translator';
import { loadHandlebars } from '../load-package';
import { type ServiceLinks, serviceLinks } from './service-links';

/*
 * This folder has the few HTML pages for people who open the service in a browser: the home page and "not found".
 * `renderPage` below fills the template `page.hbs` with messages of the catalogue. `HomeController` serves the home
 * page, `ErrorEnvelopeFilter` "not found", and `serveConsole` a page that replaces a console that is not built.
 */

/** Pages by the names of their messages in the catalogue. */
type PageName = 'home' | 'not_found' | 'console_missing';

/** Links that have the same name in every language. */
const PROPER_NAMES: Partial<Record<string, string>> = { swagger: 'Swagger UI', redoc: 'ReDoc' };

const STYLE = read('page.css');

const TEMPLATE = read('page.hbs');

/** Compiled for the first page, because Handlebars loads slowly. */
let template: TemplateDelegate | undefined;

/** Allows only the style of this page and the icon: no scripts and no frames. */
const POLICY = [
  "default-src 'none'",
  "img-src 'self'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Whether the caller prefers a page to JSON. Browsers do; programs that accept everything do not. */
export function prefersPage(request: Request, paths: ApiPaths): boolean {
  return (
    ['GET', 'HEAD'].includes(request.method) &&
    !paths.includes(request.originalUrl) &&
    request.accepts(['json', 'html']) === 'html'
  );
}

/** The page in the language of the request. The response gets the page's headers. */
export function renderPage(name: PageName, config: AppConfig, request: Request, response: Response): string {
  const language = requestLanguage(request);
  const say = (key: string): string => translate(language, `pages.${key}`);
  const links = serviceLinks(config);
  response.type('html');
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('Content-Language', language);
  response.setHeader('Cache-Control', 'no-store');
  response.vary('Accept').vary('Accept-Language');
  template ??= loadHandlebars().compile(TEMPLATE, { strict: true });
  return template({
    language,
    style: STYLE,
    icon: '/favicon.svg',
    title: say(`${name}.title`),
    text: say(`${name}.text`),
    address: name === 'home' ? { label: say('home.address'), value: links.api } : null,
    links: linksOf(name, links).map(([key, href]) => ({
      href,
      label: PROPER_NAMES[key] ?? say(`links.${key}.label`),
      hint: say(`links.${key}.hint`),
    })),
  });
}

function linksOf(
  name: PageName,
  { home, console, swagger, redoc, openapi, health }: ServiceLinks,
): [key: string, href: string][] {
  if (name !== 'home') {
    return [['home', home]];
  }
  const others: [string, string | undefined][] = [
    ['console', console],
    ['swagger', swagger],
    ['redoc', redoc],
    ['openapi', openapi],
    ['health', health],
  ];
  return others.filter((link): link is [string, string] => link[1] !== undefined);
}

function read(file: string): string {
  return readFileSync(join(__dirname, file), 'utf8');
}
