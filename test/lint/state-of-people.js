/**
 * A module of the console lives as long as the page, and people change while a page is open. So whatever a module makes when
 * it is loaded must know nothing of people: no variable that changes, no signal, no map, no listener. What is remembered of
 * a person belongs to their `Visit`.
 */
const MESSAGE =
  'Nothing is made or called when a module is loaded: what the pages know of people is a part of their visit (console/src/app/visit.ts).';
const UNCHANGED =
  'What a module makes when it is loaded stays as it is: what the pages know of people is a part of their visit (console/src/app/visit.ts).';

/** What they make holds nothing that anybody has done. */
const MAKERS = /^(texts|lazy\w*|listOf|createContext)$/;

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/** Methods that change what they are called on. */
const CHANGES = /^(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear)$/;

module.exports = {
  meta: { type: 'problem' },
  create(context) {
    const refuse = (node) => isLoadedWithModule(node) && context.report({ node, message: MESSAGE });
    const keep = (node) => isOfModule(context, node) && context.report({ node, message: UNCHANGED });
    return {
      CallExpression: (node) => MAKERS.test(node.callee.name) || refuse(node),
      // What a weak map has is reached only by who has the key.
      NewExpression: (node) => isWeakMap(node) || refuse(node),
      AwaitExpression: refuse,
      'VariableDeclaration[kind=/^(let|var)$/]': refuse,
      'VariableDeclarator > ArrayExpression[elements.length=0]': refuse,
      'VariableDeclarator > ObjectExpression[properties.length=0]': refuse,
      'AssignmentExpression > MemberExpression.left': keep,
      'UpdateExpression > MemberExpression': keep,
      'UnaryExpression[operator=delete] > MemberExpression': keep,
      'CallExpression > MemberExpression.callee': (node) => CHANGES.test(node.property.name) && keep(node),
      'CallExpression[callee.object.name=Object][callee.property.name=assign]': (node) => keep(node.arguments[0]),
    };
  },
};

/** Not within a function, nor in a field that each object of a class gets anew. */
function isLoadedWithModule(node) {
  for (let at = node.parent; at; at = at.parent) {
    if (FUNCTIONS.includes(at.type) || (at.type === 'PropertyDefinition' && !at.static)) return false;
  }
  return true;
}

/** Whether it is a part of what this module has made when it was loaded. */
function isOfModule(context, node) {
  let root = node;
  while (root?.type === 'MemberExpression') root = root.object;
  if (root?.type !== 'Identifier') return false;
  let scope = context.sourceCode.getScope(root);
  while (scope && !scope.set.has(root.name)) scope = scope.upper;
  const [definition] = scope?.set.get(root.name)?.defs ?? [];
  return scope?.type === 'module' && definition?.type !== 'ImportBinding' && !isWeakMap(definition?.node.init);
}

function isWeakMap(node) {
  return node?.type === 'NewExpression' && node.callee.name === 'WeakMap';
}
