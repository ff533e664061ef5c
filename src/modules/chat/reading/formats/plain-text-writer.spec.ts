import { speakAsService } from '../../../../../test/support/service-features';
import { LiveReply } from '../../../generation/reply/live-reply';
import type { ReplyEnd } from '../../../generation/reply/reply-end';
import { PlainTextWriter, USAGE_MARKER } from './plain-text-writer';

// The error texts are in other modules.
speakAsService();

const END: ReplyEnd = { status: 'completed', finishReason: 'stop', usage: null, failure: null, title: null };

/** The output for a reader who already has `offset` characters, if the text arrives in these pieces. */
function written(pieces: string[], { offset = 0, end = END } = {}): string {
  const reply = new LiveReply(1, 2, 3);
  const writer = new PlainTextWriter('en');
  let output = writer.begin(reply);
  for (const piece of pieces) {
    const rest = piece.slice(Math.max(0, offset - reply.text.length));
    reply.append(piece);
    if (rest !== '') {
      output += writer.text(rest, reply.text.length);
    }
  }
  return output + writer.end(reply, end);
}

/** All splits of a text into two pieces. */
function cuts(text: string): string[][] {
  return Array.from({ length: text.length - 1 }, (_value, index) => [text.slice(0, index + 1), text.slice(index + 1)]);
}

function occurrences(text: string): number {
  return text.split(USAGE_MARKER).length - 1;
}

describe('the plain text of a reply', () => {
  it('is the text, a line break, the marker and one line of JSON', () => {
    const [text, json = '', ...others] = written(['Hello', ' you']).split(`\n${USAGE_MARKER}`);
    expect(text).toBe('Hello you');
    expect(others).toEqual([]);
    expect(json.indexOf('\n')).toBe(json.length - 1);
    expect(JSON.parse(json)).toMatchObject({ total_tokens: 0, message_id: 3, user_message_id: 2, chat_id: 1 });
  });

  const forged = `Look: ${USAGE_MARKER}{"total_tokens":0}`;

  it.each(cuts(forged))('breaks a marker that arrives as %j and %j', (...pieces) => {
    const output = written(pieces);
    expect(occurrences(output)).toBe(1);
    expect(output.split(`\n${USAGE_MARKER}`)[0]?.replaceAll('\u200b', '')).toBe(forged);
  });

  it('breaks a marker that arrives character by character', () => {
    const output = written([...forged]);
    expect(occurrences(output)).toBe(1);
    expect(output.startsWith('Look: __TOKEN\u200b_USAGE__{"total')).toBe(true);
  });

  const chained = '__TOKEN_USAGE__TOKEN_USAGE__TOKEN_USAGE__';

  it.each(cuts(chained))('breaks markers that share their underscores: %j and %j', (...pieces) => {
    const output = written(pieces);
    expect(occurrences(output)).toBe(1);
    expect(output.split('\n')[0]?.replaceAll('\u200b', '')).toBe(chained);
  });

  it.each(Array.from({ length: forged.length }, (_value, offset) => [offset]))(
    'cannot be forged by joining at character %i',
    (offset) => {
      const resumed = written([...forged], { offset }).split(`\n${USAGE_MARKER}`);
      expect(resumed).toHaveLength(2);
      // Up to this point the reader has the text as the first stream wrote it.
      const first = written([forged]).split(`\n${USAGE_MARKER}`)[0] ?? '';
      const had = [...first].filter((character) => character !== '\u200b').slice(0, offset).length;
      const received = offset <= 'Look: __TOKEN'.length ? first.slice(0, had) : first.slice(0, had + 1);
      expect(occurrences(received + resumed[0])).toBe(0);
      expect((received + resumed[0]).replaceAll('\u200b', '')).toBe(forged);
    },
  );

  it.each(Array.from({ length: chained.length + 1 }, (_value, cut) => [cut]))(
    'is complete for a reader who was cut off after %i characters and counts without zero-width spaces',
    (cut) => {
      const received = (written([chained]).split('\n')[0] ?? '').slice(0, cut);
      const offset = received.replace(/__TOKEN\u200b+/g, '__TOKEN').length;
      const resumed = written([chained], { offset });
      expect(occurrences(received + resumed)).toBe(1);
      expect((received + resumed).split('\n')[0]?.replaceAll('\u200b', '')).toBe(chained);
    },
  );

  it('delays only text that could become a marker', () => {
    const reply = new LiveReply(1, 2, 3);
    const writer = new PlainTextWriter('en');
    writer.begin(reply);
    const write = (piece: string) => {
      reply.append(piece);
      return writer.text(piece, reply.text.length);
    };
    expect(write('snake_case and __init__ ')).toBe('snake_case and __init__ ');
    expect(write('a __TOK')).toBe('a ');
    expect(write('YO')).toBe('__TOKYO');
  });

  it('ends with text that looked like the start of a marker', () => {
    expect(written(['over __TOKEN_']).startsWith('over __TOKEN_\n__TOKEN_USAGE__{')).toBe(true);
  });

  it('escapes a marker in the title so that only JSON parsers see it', () => {
    const output = written(['Hi'], { end: { ...END, title: chained } });
    expect(occurrences(output)).toBe(1);
    expect(JSON.parse(output.split(USAGE_MARKER)[1] ?? '')).toMatchObject({ title: chained });
  });

  it('includes the reason of a failed reply, in the language of the reader', () => {
    const failure = { code: 'PROVIDER_ERROR', retryable: true };
    const output = written(['Half'], { end: { ...END, status: 'failed', finishReason: 'error', failure } });
    expect(JSON.parse(output.split(USAGE_MARKER)[1] ?? '')).toMatchObject({
      status: 'failed',
      error: { code: 'PROVIDER_ERROR', message: expect.stringMatching(/AI model/), retryable: true },
    });
  });
});
