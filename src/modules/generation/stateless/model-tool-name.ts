import { createHash } from 'node:crypto';
import type { CalledTool } from '../../../integrations/llm/port/message-parts';

/** The maximum length of function names at providers. */
const LONGEST_NAME = 64;

/** The kept length of a longer name; an underscore and eight digits of its hash follow. */
const KEPT = 55;

/** The name of a tool in the prompt. It starts with the namespace, if there is one, and is as long as providers allow. */
export function modelToolName({ name, namespace }: Pick<CalledTool, 'name' | 'namespace'>): string {
  if (namespace === undefined && name.length <= LONGEST_NAME) {
    return name;
  }
  const joined = [...(namespace === undefined ? [] : [namespace]), name].join('__').replace(/[^a-zA-Z0-9_-]/g, '_');
  const hash = createHash('sha256')
    .update(JSON.stringify([namespace, name]))
    .digest('hex')
    .slice(0, 8);
  return joined.length <= LONGEST_NAME ? joined : `${joined.slice(0, KEPT)}_${hash}`;
}
