import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import checkFile from 'eslint-plugin-check-file';
import importSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

/** Only `src/config` (and the tooling outside `src`) may read the environment: settings are validated in one place. */
const environmentAccess = {
  object: 'process',
  property: 'env',
  message: 'Read settings through the validated classes of src/config.',
};

/** The one way to write what can be written in several; each message says how. A listener gets the event first. */
const oneDialect = [
  {
    selector:
      ":matches(FunctionDeclaration, FunctionExpression, ArrowFunctionExpression, TSDeclareFunction, TSEmptyBodyFunctionExpression, TSMethodSignature) > Identifier[typeAnnotation.typeAnnotation.typeName.name='EntityManager']:not(:first-child)",
    message: 'The EntityManager is the first parameter.',
  },
  {
    selector: "Decorator > CallExpression[callee.name='HttpCode'] > Literal",
    message: 'Name the status: @HttpCode(HttpStatus.OK).',
  },
  {
    selector:
      "CallExpression[callee.property.name=/^(debug|log|warn|error|fatal)$/][callee.object.property.name='logger'] > TemplateLiteral:first-child",
    message: 'Log an object with its facts and a constant sentence: logger.warn({ endpointId }, "…").',
  },
  {
    selector:
      'VariableDeclarator[id.name=/(^|_)(FRESHNESS|PAUSE|GRACE|PATIENCE|TIMEOUT|DELAY|INTERVAL|LIFETIME|DURATION|WAIT|AGE|PERIOD)$/][init.type=/^(Literal|BinaryExpression)$/]',
    message: 'A constant that holds a time names its unit: CACHE_MILLISECONDS.',
  },
];

/** What each file of `src` may be called: words with hyphens, and one of these roles. */
const fileRoles =
  'module|api|controller|service|guard|pipe|interceptor|filter|middleware|decorator|strategy|dto|entity|store|config|error|errors|events|audit|mails|query|retention|personal-data|schema|spec|d';

/** What this Node offers, and what it adds around a CommonJS file. */
const nodeGlobals = Object.fromEntries(
  [...Object.getOwnPropertyNames(globalThis), 'require', 'module', 'exports', '__dirname', '__filename'].map((name) => [
    name,
    'readonly',
  ]),
);

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'client/dist/',
      'client/src/generated/',
      'test/fixtures/client-consumer/',
      'coverage/',
      'data/',
      'node_modules/',
    ],
  },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
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
      // Files with decorators are left alone by the rule itself: Nest reads their constructors' types at run time.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
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
    files: ['**/*.mjs'],
    languageOptions: { globals: nodeGlobals },
  },
  {
    files: ['examples/**/*.js', 'examples/**/*.jsx'],
    languageOptions: {
      sourceType: 'module',
      globals: Object.fromEntries(['document', 'FormData', 'location', 'prompt'].map((name) => [name, 'readonly'])),
      parserOptions: { ecmaFeatures: { jsx: true } },
    },
    // The core rules do not see that an element uses its component.
    rules: { 'no-unused-vars': ['error', { varsIgnorePattern: '^[A-Z]' }] },
  },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.js', '**/*.jsx', '**/*.mjs'],
    plugins: { 'simple-import-sort': importSort },
    rules: {
      'simple-import-sort/imports': ['error', { groups: [['^\\u0000', '^node:', '^@?\\w', '^\\.']] }],
      'simple-import-sort/exports': 'error',
    },
  },
  {
    // Databases have run them: released migrations stay as they are, to the byte.
    files: ['src/database/migrations/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off', 'simple-import-sort/imports': 'off' },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { 'check-file': checkFile },
    rules: {
      'check-file/filename-naming-convention': ['error', { 'src/**/*.ts': `+([a-z0-9-])?(.@(${fileRoles}))?(.spec)` }],
      'check-file/folder-naming-convention': ['error', { 'src/**/': 'KEBAB_CASE' }],
      // Folders are by topic: a DTO or an entity lies beside what uses it.
      'check-file/filename-blocklist': ['error', { '**/{dto,entities}/*.ts': 'topic/*.ts' }],
      'no-restricted-syntax': ['error', ...oneDialect],
    },
  },
  {
    files: ['src/**/*.controller.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...oneDialect,
        { selector: "CallExpression[callee.property.name='then']", message: 'A handler is async and awaits.' },
      ],
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
    files: ['src/**/*.ts'],
    ignores: ['src/database/**', 'src/**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        environmentAccess,
        { property: 'dialect', message: 'What differs between databases is in src/database.' },
      ],
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
