import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const client = (path: string): string => fileURLToPath(new URL(`../client/src/${path}`, import.meta.url));

/**
 * Of `marked` the console needs the lexer alone. The rest, which makes HTML, cannot be shaken off: the module makes an
 * instance of everything when it is loaded. A release that is written in another way ends the build.
 */
const lexerOfMarked: Plugin = {
  name: 'lexer-of-marked',
  transform(code, id) {
    if (!id.endsWith('/marked.esm.js')) return undefined;
    const lexer = /\b(\w+) as Lexer\b/.exec(code)?.[1];
    const [before, instance] = code.split(/var \w+=new \w+;function (?=\w+\(\w+,\w+\)\{return \w+\.parse\()/);
    if (!before || !instance || !lexer) throw new Error('Where does this release of marked make its instance?');
    return { code: `${before}export{${lexer} as Lexer};`, map: null };
  },
};

export default defineConfig({
  plugins: [lexerOfMarked],
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  resolve: {
    alias: [{ find: /^chat-service-client$/, replacement: client('index.ts') }],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy of the service allows no `data:` fonts or scripts, and a polyfill is not needed.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // The file of each language says so, such as `texts-de-chat`: the sizes of a language can be added up.
        chunkFileNames: ({ facadeModuleId }) => {
          const [, language, area] = /locales\/(\w+)\/(\w+)\.json$/.exec(facadeModuleId ?? '') ?? [];
          return language ? `assets/texts-${language}-${area}-[hash].js` : 'assets/[name]-[hash].js';
        },
      },
    },
  },
  server: {
    // `npm run console:dev` beside a running service: the pages come from Vite, everything else from the service.
    proxy: {
      '/api': 'http://127.0.0.1:3000',
      '/health': 'http://127.0.0.1:3000',
      '/favicon.svg': 'http://127.0.0.1:3000',
    },
  },
});
