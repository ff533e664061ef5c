/**
 * A module of the console lives as long as the page, and people change while a page is open. So whatever a module makes when
 * it is loaded must know nothing of people: no variable that changes, no signal, no map, no listener. What is remembered of
 * a person belongs to their `Visit`.
 */
const MESSAGE =
  'Nothing is made or called when a module is loaded: what the pages know of people is a part of their visit (console/src/visit.ts).';

/** What they make holds nothing that anybody has done. */
const MAKERS = /^(texts|lazy\w*|listOf|createContext)$/;

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

module.exports = {
  meta: { type: 'problem' },
  create(context) {
    const refuse = (node) => isLoadedWithModule(node) && context.report({ node, message: MESSAGE });
    return {
      CallExpression: (node) => MAKERS.test(node.callee.name) || refuse(node),
      // What a weak map has is reached only by who has the key.
      NewExpression: (node) => node.callee.name === 'WeakMap' || refuse(node),
      AwaitExpression: refuse,
      'VariableDeclaration[kind=/^(let|var)$/]': refuse,
      'VariableDeclarator > ArrayExpression[elements.length=0]': refuse,
      'VariableDeclarator > ObjectExpression[properties.length=0]': refuse,
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
