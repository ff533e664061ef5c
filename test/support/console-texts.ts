import { join } from 'node:path';
import ts from 'typescript';

const CONSOLE = join(__dirname, '../../console');

/** The texts of the console, by their part, such as `chat`: those that its calls `t('send')` can use by their types. */
export function usedTexts(): Map<string, Set<string>> {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(CONSOLE, 'tsconfig.json'), {}, host)!;
  const program = ts.createProgram(config.fileNames, config.options);
  const checker = program.getTypeChecker();
  const used = new Map<string, Set<string>>();
  for (const file of program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(CONSOLE, 'src')))) {
    const parts = new Map<string, string>();
    const visit = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && node.initializer && isCallOf(node.initializer, 'texts')) {
        parts.set(node.name.getText(), (node.initializer.arguments[0] as ts.StringLiteral).text);
      }
      const part = ts.isCallExpression(node) ? parts.get(node.expression.getText()) : undefined;
      if (part !== undefined) {
        const keys = used.get(part) ?? new Set();
        literalsOf(checker.getTypeAtLocation((node as ts.CallExpression).arguments[0]!)).forEach((key) =>
          keys.add(key),
        );
        used.set(part, keys);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return used;
}

function isCallOf(node: ts.Expression, name: string): node is ts.CallExpression {
  return ts.isCallExpression(node) && node.expression.getText() === name;
}

function literalsOf(type: ts.Type): string[] {
  if (type.isUnion()) return type.types.flatMap(literalsOf);
  return type.isStringLiteral() ? [type.value] : [];
}
