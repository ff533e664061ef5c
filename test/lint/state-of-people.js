/**
 * A module of the console lives as long as the page, and users can change while a page is open. So nothing that a
 * module creates at load time may contain user data: no variable that changes, no signal, no map, no listener. Data
 * about a user belongs to their `Visit`.
 */
const MESSAGE =
  'Nothing is made or called when a module is loaded: what the pages know of people is a part of their visit (console/src/app/visit.ts).';
const UNCHANGED =
  'What a module makes when it is loaded stays as it is: what the pages know of people is a part of their visit (console/src/app/visit.ts).';

/** Their results contain no user data. */
const MAKERS = /^(texts|lazy\w*|listOf|createContext)$/;

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/** Methods that mutate their object. */
const CHANGES = /^(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear)$/;

module.exports = {
  meta: { type: 'problem' },
  create(context) {
    const refuse = (node) => isLoadedWithModule(node) && context.report({ node, message: MESSAGE });
    const keep = (node) => isOfModule(context, node) && context.report({ node, message: UNCHANGED });
    return {
      CallExpression: (node) => MAKERS.test(node.callee.name) || refuse(node),
      // Only the owner of the key can reach a value in a weak map.
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

/** Not within a function, nor in a field that is created for each object of a class. */
function isLoadedWithModule(node) {
  for (let at = node.parent; at; at = at.parent) {
    if (FUNCTIONS.includes(at.type) || (at.type === 'PropertyDefinition' && !at.static)) return false;
  }
  return true;
}

/** Whether it is part of a value that this module has created at load time. */
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
