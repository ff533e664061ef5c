import { toldName } from '../../tools/told-name';
import type { OutputView } from './output-view';
import { CALLERS_ONLY, type LabelOf } from './own-calls';
import type { ResponseHead } from './response-resource';
import { hasSummaries, type ResponseSettings } from './response-settings';

/** How the items of a response are shown: what it repeats of its request says whose the tools are. */
export function viewOf({ settings, labels, part }: ResponseHead): OutputView {
  return { hasSummaries: hasSummaries(settings), labelOf: labelsOf(settings, labels), part };
}

function labelsOf({ tools }: ResponseSettings, labels: ResponseHead['labels']): LabelOf {
  if (labels === null) {
    return CALLERS_ONLY;
  }
  const callers = new Set(
    tools.flatMap((tool) => {
      switch (tool.type) {
        case 'namespace':
          return tool.tools.map(({ name }) => toldName({ name, namespace: tool.name }));
        case 'mcp':
          return [];
        default:
          return toldName(tool);
      }
    }),
  );
  return (_call, name) => (callers.has(name) ? null : Object.hasOwn(labels, name) ? (labels[name] as string) : '');
}
