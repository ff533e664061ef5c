import type { INestApplication } from '@nestjs/common';
import type { Application } from 'express';
import { wholeFile } from '../common/http/whole-file.middleware';

/** How the installation shows itself. */
export interface Looks {
  name: string;
  /** A data URL of a PNG, JPEG, GIF or WebP; null: none. */
  logo: string | null;
  /** `#rrggbb`; null: that of the software. */
  colour: string | null;
}

const USUAL_COLOUR = '#3451c6';

/** What systems show below an icon is cut after about so many characters. */
const SHORT_NAME = 12;

const MANIFEST = '/console/manifest.webmanifest';
const ICON = '/console/icon.svg';

/** Serves what browsers need to install the console: its manifest, and an icon made of the name, the logo and the colour. */
export function serveWebApp(app: INestApplication, read: () => Promise<Looks>): void {
  const server = app.getHttpAdapter().getInstance() as Application;
  server.get(MANIFEST, wholeFile, async (_request, response) => {
    response
      .type('application/manifest+json')
      .set('Cache-Control', 'no-cache')
      .send(JSON.stringify(manifestOf(await read())));
  });
  server.get(ICON, wholeFile, async (_request, response) => {
    // Opened as a page, it may show its picture and nothing else.
    response.set('Content-Security-Policy', "default-src 'none'; img-src data:; sandbox");
    response
      .type('image/svg+xml')
      .set('Cache-Control', 'no-cache')
      .send(iconOf(await read()));
  });
}

/** https://www.w3.org/TR/appmanifest/ */
function manifestOf({ name, colour }: Looks): object {
  return {
    id: '/console/',
    name,
    short_name: [...name].slice(0, SHORT_NAME).join('').trim(),
    start_url: '/console/chat',
    scope: '/console/',
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: colour ?? USUAL_COLOUR,
    icons: ['any', 'maskable'].map((purpose) => ({ src: ICON, sizes: 'any', type: 'image/svg+xml', purpose })),
  };
}

/** The logo on white, or the first letter of the name on the colour, with the margin that round icons cut off. */
function iconOf({ name, logo, colour }: Looks): string {
  const ground = logo === null ? (colour ?? USUAL_COLOUR) : '#ffffff';
  const content =
    logo === null
      ? `<text x="256" y="272" font-family="system-ui, sans-serif" font-size="256" font-weight="600" text-anchor="middle" dominant-baseline="middle" fill="${letterColour(ground)}">${escaped(initialOf(name))}</text>`
      : `<image href="${escaped(logo)}" x="96" y="96" width="320" height="320"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512"><rect width="512" height="512" fill="${ground}"/>${content}</svg>`;
}

function initialOf(name: string): string {
  const [first = 'C'] = new Intl.Segmenter().segment(name.trim());
  return typeof first === 'string' ? first : first.segment.toUpperCase();
}

/** Black on light colours, white on dark ones (relative luminance of WCAG 2.2, without its gamma). */
function letterColour(ground: string): string {
  const [red = 0, green = 0, blue = 0] = (ground.match(/[\da-f]{2}/gi) ?? []).map((part) => parseInt(part, 16));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 150 ? '#15171c' : '#ffffff';
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
