import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Application } from 'express';
import { wholeFile } from '../../../common/http/whole-file.middleware';

/** Path of the bundled pictures of agents: `/static/agents/<name>.svg`, outside the versioned API. */
export const AVATAR_PATH = '/static/agents';

/** The picture of agents without their own. */
export const DEFAULT_AVATAR = `${AVATAR_PATH}/default.svg`;

const FOLDER = join(__dirname, '../avatars');

const OPTIONS = {
  root: FOLDER,
  maxAge: '1d',
  headers: {
    // A browser that opens an SVG as a page could run its scripts. Other sites may show it as an image.
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  },
};

/**
 * Serves the bundled pictures. Call it before the routes, so that the pictures need no token and have no rate limit.
 * Each picture is a separate route, so that the response to a wrong method lists the right ones.
 */
export function serveAgentAvatars(server: Application): void {
  for (const file of readdirSync(FOLDER)) {
    server.get(`${AVATAR_PATH}/${file}`, wholeFile, (_request, response) => response.sendFile(file, OPTIONS));
  }
}
