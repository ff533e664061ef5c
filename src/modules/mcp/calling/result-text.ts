import type { CallToolResult } from '@modelcontextprotocol/client';

/**
 * What a tool of a server returned, as text for a model. Nothing that it names is fetched: pictures, sounds and links are told of,
 * not shown. Halves of characters, which no text in UTF-8 has, are replaced.
 */
export function resultText({ content, structuredContent }: CallToolResult): string {
  const texts = content.map(partText);
  if (texts.length === 0 && structuredContent !== undefined) {
    return JSON.stringify(structuredContent);
  }
  return texts.join('\n').toWellFormed();
}

function partText(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type}: ${part.mimeType}]`;
    case 'resource_link':
      return `[link: ${part.name} ${part.uri}]`;
    case 'resource':
      return 'text' in part.resource ? part.resource.text : `[resource: ${part.resource.uri}]`;
    default:
      return '';
  }
}
