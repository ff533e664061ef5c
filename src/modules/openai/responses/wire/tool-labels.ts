import type { ToolOrigin } from '../../../tool/tool.api';

/**
 * The origin of each agent tool that the model gets, by prompt name. A string is the module, for a tool whose own name
 * is equal.
 */
export type ToolLabels = Readonly<Record<string, string | ToolOrigin>>;

/** A tool as shown to clients. */
interface LabelledTool {
  name: string;
  label: string;
  ownName: string;
}

/** Null: there are no tools. */
export function labelsFor(tools: readonly LabelledTool[]): ToolLabels | null {
  const labels = tools.map(({ name, label: source, ownName }): [string, string | ToolOrigin] => [
    name,
    ownName === name ? source : { source, name: ownName },
  ]);
  return labels.length === 0 ? null : Object.fromEntries(labels);
}

/** Null: the model got no such tool. */
export function findOrigin(labels: ToolLabels, name: string): ToolOrigin | null {
  const found = Object.hasOwn(labels, name) ? labels[name] : undefined;
  return typeof found === 'string' ? { source: found, name } : (found ?? null);
}
