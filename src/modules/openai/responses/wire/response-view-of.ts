import { modelToolName } from '../../../generation/generation.api';
import { searchesKnowledge } from '../../../tool/tool.api';
import { itemsOfLists } from './listed-tools';
import type { OutputView } from './output-view';
import type { OriginOf } from './own-calls';
import type { ResponseHead } from './response-resource';
import { hasSummaries, type ResponseSettings } from './response-settings';
import { findOrigin } from './tool-labels';

/** The view options of a response. The stored settings and labels give the origin of the tools. */
export function viewOf({ messageId, settings, labels, listed, part, hasResults }: ResponseHead): OutputView {
  const items = part.number === 0 ? itemsOfLists(messageId, listed) : [];
  return {
    hasSummaries: hasSummaries(settings),
    originOf: originsIn(settings, labels),
    listed: items,
    part,
    hasResults,
  };
}

function originsIn({ tools }: ResponseSettings, labels: ResponseHead['labels']): OriginOf {
  const callers = new Set(
    tools.flatMap((tool) => {
      switch (tool.type) {
        case 'namespace':
          return tool.tools.map(({ name }) => modelToolName({ name, namespace: tool.name }));
        case 'file_search':
        case 'mcp':
          return [];
        default:
          return modelToolName(tool);
      }
    }),
  );
  return (_call, name) => {
    if (callers.has(name) || (labels === null && !searchesKnowledge({ name }))) {
      return null;
    }
    // The service may search the documents of a conversation although the agent has no tools.
    return findOrigin(labels ?? {}, name) ?? (searchesKnowledge({ name }) ? { source: 'knowledge', name } : 'nobody');
  };
}
