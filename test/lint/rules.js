const stateOfPeople = require('./state-of-people.js');
const typeImports = require('./type-imports.js');

/**
 * Allows one of several equivalent notations: code that matches the selector is refused, and the message names the
 * alternative. `.oxlintrc.jsonc` sets the files to which each rule applies.
 */
const refused = {
  // oxlint has no rule of this name, and reads octal literals in files without `use strict`.
  'no-octal': {
    selector: 'Literal[raw=/^0[0-9]/]',
    message: 'Octal literals begin with 0o.',
  },
  commonjs: {
    selector: ':matches(ImportDeclaration, ExportNamedDeclaration, ExportDefaultDeclaration, ExportAllDeclaration)',
    message: 'A .js file is CommonJS; one with import or export is .mjs.',
  },
  // Function types are not in the list: a listener receives the event first.
  'entity-manager-first': {
    selector:
      ":matches(FunctionDeclaration, FunctionExpression, ArrowFunctionExpression, TSDeclareFunction, TSEmptyBodyFunctionExpression, TSMethodSignature) > Identifier[typeAnnotation.typeAnnotation.typeName.name='EntityManager']:not(:first-child)",
    message: 'The EntityManager is the first parameter.',
  },
  'named-status': {
    selector: "Decorator > CallExpression[callee.name='HttpCode'] > Literal",
    message: 'Name the status: @HttpCode(HttpStatus.OK).',
  },
  'constant-log-sentence': {
    selector:
      "CallExpression[callee.property.name=/^(debug|log|warn|error|fatal)$/][callee.object.property.name='logger'] > TemplateLiteral:first-child",
    message: 'Log an object with its facts and a constant sentence: logger.warn({ endpointId }, "…").',
  },
  'time-names-its-unit': {
    selector:
      'VariableDeclarator[id.name=/(^|_)(FRESHNESS|PAUSE|GRACE|PATIENCE|TIMEOUT|DELAY|INTERVAL|LIFETIME|DURATION|WAIT|AGE|PERIOD)$/][init.type=/^(Literal|BinaryExpression)$/]',
    message: 'A constant that holds a time names its unit: CACHE_MILLISECONDS.',
  },
  'formatter-made-once': {
    selector:
      ":matches(NewExpression[callee.object.name='Intl'], CallExpression[callee.property.name=/^(toLocale(Date|Time)?String|localeCompare)$/])",
    message: 'Formatters are made once: formatter(Intl.NumberFormat, …) of console/src/app/i18n/formatters.ts.',
  },
  'linear-normal-form': {
    selector: "CallExpression[callee.property.name='normalize']",
    message:
      'Its time grows with the square of a row of marks. Take `normalForm` of src/common/validation, or a function of src/common/text/folding.',
  },
  'rows-by-statements': {
    selector:
      ':matches(CallExpression[callee.object.name=/^(manager|reader|writer)$/], CallExpression[callee.object.property.name=/^(manager|dataSource|queryRunner)$/], CallExpression[callee.object.callee.property.name=/^(repository|getRepository)$/])' +
      '[callee.property.name=/^(find|count|exists|insert|update|delete|soft|restore|save|remove|increment|decrement|upsert|sum|average|minimum|maximum|query|getRepository|clear)/]',
    message: 'Read and write rows by the functions of src/database/statements.',
  },
  'builder-in-queries': {
    selector: 'CallExpression[callee.property.name=/^(createQueryBuilder|repository)$/]',
    message:
      'Read and write rows by the functions of src/database/statements. What needs a query builder is in a file <subject>.query.ts.',
  },
  'async-handler': {
    selector: "CallExpression[callee.property.name='then']",
    message: 'A handler is async and awaits.',
  },
};

const refuse = ({ selector, message }) => ({
  create: (context) => ({ [selector]: (node) => context.report({ node, message }) }),
});

module.exports = {
  meta: { name: 'service' },
  rules: {
    'state-of-people': stateOfPeople,
    'type-imports': typeImports,
    ...Object.fromEntries(Object.entries(refused).map(([name, rule]) => [name, refuse(rule)])),
  },
};
