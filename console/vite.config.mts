import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { diagramFrame } from './diagram/plugin.mts';

const client = (path: string): string => fileURLToPath(new URL(`../client/src/${path}`, import.meta.url));

/** Code that every page needs. */
const EVERYWHERE = [
  'node_modules/(wouter-preact|regexparam)/',
  'client/src/(?!upload)',
  'console/src/app/(i18n/(?!money|administration)|api|visit|toasts|use-load|failure-text|pending-writes|drafts)',
  'console/src/components/(page/(page|layout|lazy)|form/(form|password-field)|icon|states|button|dialog|menu|toasts|returned-notice)',
];

export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  resolve: {
    alias: [{ find: /^chat-service-client$/, replacement: client('index.ts') }],
  },
  plugins: [diagramFrame()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy of the service allows no `data:` fonts or scripts, and a polyfill is not needed.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // `release/notices.mjs` turns this file into the third-party notices, and deletes it.
    license: { fileName: 'licenses.json' },
    rolldownOptions: {
      // The page of all components is not part of the service: `vite build console --mode design` builds it for its test.
      ...(mode === 'design' && { input: fileURLToPath(new URL('design.html', import.meta.url)) }),
      output: {
        // One chunk, because it compresses better than ten.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: new RegExp(EVERYWHERE.join('|')),
            },
          ],
        },
        // The chunk of each language file has a name such as `texts-de-chat`, so that the size of a language can be
        // measured.
        chunkFileNames: ({ facadeModuleId }) => {
          const [, language, area] = /locales\/(\w+)\/(\w+)\.json$/.exec(facadeModuleId ?? '') ?? [];
          return language ? `assets/texts-${language}-${area}-[hash:7].js` : 'assets/[name]-[hash:7].js';
        },
      },
    },
  },
  server: {
    // Use `npm run console:dev` next to a running service: the pages come from Vite, everything else from the service.
    proxy: {
      '/api': 'http://127.0.0.1:3000',
      '/health': 'http://127.0.0.1:3000',
      '/console/diagram.html': 'http://127.0.0.1:3000',
      '/favicon.svg': 'http://127.0.0.1:3000',
    },
  },
}));
