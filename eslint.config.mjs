import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** Only `src/config` (and the tooling outside `src`) may read the environment: settings are validated in one place. */
const environmentAccess = {
  object: 'process',
  property: 'env',
  message: 'Read settings through the validated classes of src/config.',
};

/** What this Node offers, and what it adds around a CommonJS file. */
const nodeGlobals = Object.fromEntries(
  [...Object.getOwnPropertyNames(globalThis), 'require', 'module', 'exports', '__dirname', '__filename'].map((name) => [
    name,
    'readonly',
  ]),
);

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'data/', 'node_modules/', 'tools/'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/require-await': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/prefer-nullish-coalescing': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/explicit-function-return-type': ['error', { allowExpressions: true }],
      // Nest reads constructor types at run time: an `import type` there would break injection.
      '@typescript-eslint/consistent-type-imports': 'off',
      // A class that only carries a decorator is how Nest declares a module.
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  {
    files: ['**/*.js'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: nodeGlobals,
    },
  },
  {
    rules: {
      'max-lines': ['error', { max: 250 }],
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      'no-restricted-properties': ['error', environmentAccess],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
    },
  },
  {
    files: ['src/config/**/*.ts', 'test/**', 'bench/**', '*.js', '*.mjs', '.*.js', 'ormconfig.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['test/jest/**', 'test/support/servers/**', 'bench/**', 'jest.config.js', 'src/openapi.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts', 'src/**/*.spec.ts'],
    rules: {
      // `expect(mock.method)` hands an unbound method to jest on purpose; supertest bodies arrive untyped.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/explicit-function-return-type': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  prettier,
);
