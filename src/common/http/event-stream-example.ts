import { createParser } from 'eventsource-parser';

/** @param data parsed @returns the kind of the event */
type KindOf = (event: { event?: string | undefined; data: Record<string, unknown> }) => string;

/**
 * One example of each kind of event, for a media type of server-sent events whose schema describes their data.
 *
 * @param streams written by the service's own code; together they contain every kind of event
 */
export function eventExamples(streams: readonly string[], kindOf: KindOf): Record<string, { value: unknown }> {
  const examples: Record<string, { value: unknown }> = {};
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (data !== '[DONE]') {
        const value = JSON.parse(data) as Record<string, unknown>;
        examples[kindOf({ event, data: value })] ??= { value };
      }
    },
  });
  streams.forEach((stream) => parser.feed(stream));
  return examples;
}

/** A raw stream as a code block in Markdown. */
export function shownStream(stream: string): string {
  return `\`\`\`text\n${stream.trimEnd()}\n\`\`\``;
}
