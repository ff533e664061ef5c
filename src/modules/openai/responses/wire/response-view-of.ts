import { modelToolName } from '../../tools/model-tool-name';
import { itemsOfLists } from './listed-tools';
import type { OutputView } from './output-view';
import { CALLERS_ONLY, type OriginOf } from './own-calls';
import type { ResponseHead } from './response-resource';
import { hasSummaries, type ResponseSettings } from './response-settings';
import { findOrigin } from './tool-labels';

/** The view options of a response. The stored settings and labels give the origin of the tools. */
export function viewOf({ messageId, settings, labels, listed, part }: ResponseHead): OutputView {
  const items = part.number === 0 ? itemsOfLists(messageId, listed) : [];
  return { hasSummaries: hasSummaries(settings), originOf: originsIn(settings, labels), listed: items, part };
}

function originsIn({ tools }: ResponseSettings, labels: ResponseHead['labels']): OriginOf {
  if (labels === null) {
    return CALLERS_ONLY;
  }
  const callers = new Set(
    tools.flatMap((tool) => {
      switch (tool.type) {
        case 'namespace':
          return tool.tools.map(({ name }) => modelToolName({ name, namespace: tool.name }));
        case 'mcp':
          return [];
        default:
          return modelToolName(tool);
      }
    }),
  );
  return (_call, name) => (callers.has(name) ? null : (findOrigin(labels, name) ?? 'nobody'));
}
