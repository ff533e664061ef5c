import { createParser } from 'eventsource-parser';

/** @param data parsed @returns the kind of the event */
type KindOf = (event: { event?: string | undefined; data: Record<string, unknown> }) => string;

/**
 * Examples of a media type of server-sent events whose schema is that of their data: one of each kind.
 *
 * @param streams written by the service's own code; together they have every event
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

/** A stream as it comes, for a description in Markdown. */
export function shownStream(stream: string): string {
  return `\`\`\`text\n${stream.trimEnd()}\n\`\`\``;
}
