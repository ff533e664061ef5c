/**
 * Like `consistent-type-imports` of typescript-eslint, which oxlint implements without its exception: a file with
 * decorators may import a class as a value that it uses only as a type, because Nest reads constructor types at run
 * time.
 */
module.exports = {
  meta: { type: 'suggestion', fixable: 'code' },
  create(context) {
    const imports = [];
    let decorated = false;
    return {
      ImportDeclaration: (node) => void imports.push(node),
      Decorator: () => void (decorated = true),
      TSImportType: (node) => context.report({ node, message: 'Import the type at the top of the file.' }),
      'Program:exit'() {
        if (!decorated) for (const node of imports) check(node, context);
      },
    };
  },
};

function check(node, context) {
  if (node.importKind === 'type' || node.attributes.length > 0) return;
  const types = node.specifiers.filter((specifier) => isOnlyType(specifier, context.sourceCode));
  if (types.length === 0) return;
  const names = types.map(({ local }) => local.name).join(', ');
  const whole = types.length === node.specifiers.length && new Set(types.map(({ type }) => type)).size === 1;
  context.report({
    node,
    message: `Only types are used of ${names}: import them with "type".`,
    fix(fixer) {
      if (whole) return fixer.insertTextAfterRange([node.start, node.start + 'import'.length], ' type');
      const named = types.filter(({ type }) => type === 'ImportSpecifier');
      return named.map((specifier) => fixer.insertTextBefore(specifier, 'type '));
    },
  });
}

/** `no-unused-vars` reports unused imports. */
function isOnlyType(specifier, sourceCode) {
  if (specifier.importKind === 'type') return false;
  const [{ references }] = sourceCode.getDeclaredVariables(specifier);
  return references.length > 0 && references.every(isTypeReference);
}

/** `typeof value` and `{ [key]: … }` in a type refer to a value, and a type import is enough for them. */
function isTypeReference({ identifier, isValueReference, isTypeReference }) {
  if (!isValueReference) return isTypeReference;
  let child = identifier;
  let { parent } = identifier;
  while ((parent.type === 'TSQualifiedName' && parent.left === child) || isObjectOf(parent, child)) {
    child = parent;
    parent = parent.parent;
  }
  return parent.type === 'TSTypeQuery' || (parent.type === 'TSPropertySignature' && parent.key === child);
}

const isObjectOf = (parent, child) => parent.type === 'MemberExpression' && parent.object === child;
