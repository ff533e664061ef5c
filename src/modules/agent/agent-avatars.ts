import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Application } from 'express';
import { wholeFile } from '../../common/http/whole-file.middleware';

/** Where the bundled pictures of agents are served: `/static/agents/<name>.svg`, outside the versioned API. */
export const AVATAR_PATH = '/static/agents';

/** The picture of agents that name none. */
export const DEFAULT_AVATAR = `${AVATAR_PATH}/default.svg`;

const FOLDER = join(__dirname, 'avatars');

const OPTIONS = {
  root: FOLDER,
  maxAge: '1d',
  headers: {
    // An SVG that is opened by itself is a document and could run scripts; other sites may show it as an image.
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  },
};

/**
 * Serves the bundled pictures; call it before the routes, so that neither tokens nor rate limits apply. Each is a route
 * of its own, so that other methods are told which ones it answers.
 */
export function serveAgentAvatars(server: Application): void {
  for (const file of readdirSync(FOLDER)) {
    server.get(`${AVATAR_PATH}/${file}`, wholeFile, (_request, response) => response.sendFile(file, OPTIONS));
  }
}
