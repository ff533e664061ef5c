import type { ToolOrigin } from '../../../tool/tool.api';

/**
 * The tools of an agent that its model is offered, by the names that it is told, with where they come from. A text: the module,
 * which calls the tool so too.
 */
export type ToolLabels = Readonly<Record<string, string | ToolOrigin>>;

/** A tool as clients see it. */
interface LabelledTool {
  name: string;
  label: string;
  ownName: string;
}

/** Null: there are none. */
export function labelsFor(tools: readonly LabelledTool[]): ToolLabels | null {
  const labels = tools.map(({ name, label: source, ownName }): [string, string | ToolOrigin] => [
    name,
    ownName === name ? source : { source, name: ownName },
  ]);
  return labels.length === 0 ? null : Object.fromEntries(labels);
}

/** Null: the model was offered no such tool. */
export function originIn(labels: ToolLabels, name: string): ToolOrigin | null {
  const found = Object.hasOwn(labels, name) ? labels[name] : undefined;
  return typeof found === 'string' ? { source: found, name } : (found ?? null);
}
