import type { INestApplication } from '@nestjs/common';
import type { Application } from 'express';
import { wholeFile } from '../common/http/whole-file.middleware';
import { iconPicture } from './icon-picture';

/** The name, logo and colour of the installation. */
export interface Looks {
  name: string;
  /** A data URL of a PNG, JPEG, GIF or WebP; null: none. */
  logo: string | null;
  /** `#rrggbb`; null: the default colour. */
  colour: string | null;
}

const USUAL_COLOUR = '#4146d6';

/** Systems cut the text below an icon after about this many characters. */
const SHORT_NAME = 12;

const MANIFEST = '/console/manifest.webmanifest';
const ICON = '/console/icon.svg';

/** For systems that do not support SVG, in pixels. */
const PICTURE_SIZES = [192, 512];
const pictureOf = (size: number): string => `/console/icon-${size}.png`;

/**
 * Serves what browsers need to install the console: its manifest, and icons drawn from the name, the logo and the
 * colour.
 */
export function serveWebApp(app: INestApplication, read: () => Promise<Looks>): void {
  const server = app.getHttpAdapter().getInstance() as Application;
  server.get(MANIFEST, wholeFile, async (_request, response) => {
    response
      .type('application/manifest+json')
      .set('Cache-Control', 'no-cache')
      .send(JSON.stringify(manifestOf(await read())));
  });
  server.get(ICON, wholeFile, async (_request, response) => {
    // If opened as a page, the icon may show its picture and nothing else.
    response.set('Content-Security-Policy', "default-src 'none'; img-src data:; sandbox");
    response
      .type('image/svg+xml')
      .set('Cache-Control', 'no-cache')
      .send(iconOf(await read()));
  });
  const drawn = new Map<string, Buffer>();
  for (const size of PICTURE_SIZES) {
    server.get(pictureOf(size), wholeFile, async (_request, response) => {
      const { logo, colour } = await read();
      const { type, bytes } = logo === null ? { type: 'image/png', bytes: draw(size, colour) } : contentOf(logo);
      response.type(type).set('Cache-Control', 'no-cache').send(bytes);
    });
  }

  function draw(size: number, colour: string | null): Buffer {
    const ground = colour ?? USUAL_COLOUR;
    const key = `${size} ${ground}`;
    const picture = drawn.get(key) ?? iconPicture(size, ground, letterColour(ground));
    // Drawing blocks the whole process. One cached colour is enough because it hardly ever changes.
    if (!drawn.has(key) && drawn.size >= PICTURE_SIZES.length) drawn.clear();
    drawn.set(key, picture);
    return picture;
  }
}

/** https://www.w3.org/TR/appmanifest/ */
function manifestOf({ name, logo, colour }: Looks): object {
  return {
    id: '/console/',
    name,
    short_name: [...name].slice(0, SHORT_NAME).join('').trim(),
    start_url: '/console/chat',
    scope: '/console/',
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: colour ?? USUAL_COLOUR,
    icons: [
      ...PURPOSES.map((purpose) => ({ src: ICON, sizes: 'any', type: 'image/svg+xml', purpose })),
      ...(logo === null ? PICTURES : logoAsIcon(logo)),
    ],
  };
}

/** `maskable`: has a margin that systems may cut off. All icons of the service have it. */
const PURPOSES = ['any', 'maskable'];

const PICTURES = PICTURE_SIZES.flatMap((size) =>
  PURPOSES.map((purpose) => ({ src: pictureOf(size), sizes: `${size}x${size}`, type: 'image/png', purpose })),
);

/** Only a PNG has its size at a fixed position (PNG, §11.2.1). Logos in other formats appear only in the SVG icon. */
function logoAsIcon(logo: string): object[] {
  const { type, bytes } = contentOf(logo);
  if (type !== 'image/png' || bytes.length < 24) return [];
  const sizes = `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
  return [{ src: pictureOf(512), sizes, type, purpose: 'any' }];
}

function contentOf(logo: string): { type: string; bytes: Buffer } {
  const [, type = '', base64 = ''] = /^data:([^;]*);base64,(.*)$/s.exec(logo) ?? [];
  return { type, bytes: Buffer.from(base64, 'base64') };
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
