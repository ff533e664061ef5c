/** An event of a stream. Its name is its `type`. */
export function eventText(event: { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export const PING = eventText({ type: 'ping' });

export const STREAM_HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8' };
