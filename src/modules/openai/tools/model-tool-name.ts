import { createHash } from 'node:crypto';
import type { CalledTool } from '../../../integrations/llm/port/message-parts';

/** Providers take no longer name of a function. */
const LONGEST_NAME = 64;

/** What stays of a longer one; behind it come an underscore and eight digits of its hash. */
const KEPT = 55;

/** The name that models are told: that of a tool in a namespace begins with the namespace. */
export function modelToolName({ name, namespace }: Pick<CalledTool, 'name' | 'namespace'>): string {
  if (namespace === undefined) {
    return name;
  }
  const joined = `${namespace}__${name}`.replace(/[^a-zA-Z0-9_-]/g, '_');
  const hash = createHash('sha256')
    .update(JSON.stringify([namespace, name]))
    .digest('hex')
    .slice(0, 8);
  return joined.length <= LONGEST_NAME ? joined : `${joined.slice(0, KEPT)}_${hash}`;
}
