import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { SOURCE, sourceFiles } from './project-files';

/** The values that a piece of the service's code uses; comments, and names that are only declared, do not count. */
export interface UsedNames {
  /** Members that are read: `object.name`, or `{ name }` destructured from an object. */
  reads: Set<string>;
  /** Texts, with `${…}` for the expressions in templates. */
  texts: Set<string>;
}

export interface SourceCode extends UsedNames {
  /** From `src`. */
  path: string;
  /** Classes with the values that each of their getters and methods uses. */
  classes: Map<string, Map<string, UsedNames>>;
}

/** All code of the service, without its tests. */
export function sourceCode(): SourceCode[] {
  return sourceFiles('.ts')
    .filter((path) => !path.endsWith('.spec.ts'))
    .map((path) => readSource(path, readFileSync(join(SOURCE, path), 'utf8')));
}

export function readSource(path: string, text: string): SourceCode {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const classes: SourceCode['classes'] = new Map();
  visit(file, (node) => {
    if (ts.isClassDeclaration(node) && node.name) {
      const members = node.members.filter((member) => ts.isGetAccessor(member) || ts.isMethodDeclaration(member));
      classes.set(node.name.text, new Map(members.map((member) => [member.name.getText(), usedNames(member)])));
    }
  });
  return { path, ...usedNames(file), classes };
}

function usedNames(root: ts.Node): UsedNames {
  const used: UsedNames = { reads: new Set(), texts: new Set() };
  visit(root, (node) => {
    if (ts.isPropertyAccessExpression(node) && !isAssigned(node)) {
      used.reads.add(node.name.text);
    } else if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
      used.reads.add((node.propertyName ?? node.name).getText());
    } else if (ts.isStringLiteralLike(node)) {
      used.texts.add(node.text);
    } else if (ts.isTemplateExpression(node)) {
      used.texts.add([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('${…}'));
    }
  });
  return used;
}

function isAssigned({ parent }: ts.PropertyAccessExpression): boolean {
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  node.forEachChild((child) => visit(child, look));
}
