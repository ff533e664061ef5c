'use strict';
const { anthropic, event, openAi } = require('./formats.js');

/**
 * Plays one script to its end. Steps use callbacks instead of promises, because load tests play thousands concurrently.
 */
function play(script, { response, body, isAnthropic, gates }) {
  if (script.hang) {
    return;
  }
  if (script.cut) {
    response.socket.destroy();
    return;
  }
  if (script.status !== undefined || script.body !== undefined) {
    const head = () => response.writeHead(script.status ?? 200, script.headers).end(script.body ?? '');
    pause(script.delay, head);
    return;
  }
  const format = (isAnthropic ? anthropic : openAi)(body, script.usage);
  const write = writer(response, script);
  const reason = script.finish ?? (script.steps?.some(({ toolCall }) => toolCall) ? 'tool_calls' : 'stop');
  const finish = [{ finish: reason }, { usage: true }, { done: true }];
  const steps = [...(script.steps ?? []), ...(script.unfinished ? [] : finish)];

  function run(index) {
    if (response.destroyed) {
      return;
    }
    const step = steps[index];
    if (step === undefined) {
      response.end();
      return;
    }
    const goOn = () => run(index + 1);
    if (step.delay !== undefined) {
      pause(step.delay, goOn);
    } else if (step.hold !== undefined) {
      gates.pass(step.hold, goOn);
    } else if (step.repeat !== undefined) {
      repeat(step.repeat, format, write, response, goOn);
    } else if (step.pieces !== undefined) {
      writePieces(step.pieces, response);
      goOn();
    } else if (step.cut) {
      // Only after the written data has been sent: otherwise it would be lost with the socket.
      response.write('', () => setImmediate(() => response.socket?.destroy()));
    } else if (!step.stall) {
      write(render(step, format));
      goOn();
    }
  }

  pause(script.delay, () => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...script.headers });
    response.socket?.setNoDelay(true);
    if (!script.bare) {
      write(format.start());
    }
    run(0);
  });
}

function pause(milliseconds, goOn) {
  if (milliseconds) {
    setTimeout(goOn, milliseconds);
  } else {
    goOn();
  }
}

/** Writes the same text `count` times, every `delay` milliseconds or all together. */
function repeat({ text, count, delay }, format, write, response, goOn) {
  const rendered = format.text(text);
  if (!delay) {
    for (let index = 0; index < count; index++) {
      write(rendered);
    }
    goOn();
    return;
  }
  let left = count;
  const timer = setInterval(() => {
    if (response.destroyed) {
      clearInterval(timer);
      return;
    }
    write(rendered);
    if (--left === 0) {
      clearInterval(timer);
      goOn();
    }
  }, delay);
}

/** Each piece is its own chunk, even if packets are joined in transit. */
function writePieces({ text, cuts }, response) {
  const bytes = Buffer.from(text);
  const places = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b);
  places.slice(1).forEach((end, index) => response.write(bytes.subarray(places[index], end)));
}

function render(step, format) {
  const [kind] = Object.keys(step);
  switch (kind) {
    case 'raw':
      return step.raw;
    case 'base64':
      return Buffer.from(step.base64, 'base64');
    case 'comment':
      return `: ${step.comment}\n\n`;
    case 'event':
      return event(step.event);
    default:
      return format[kind](step[kind]);
  }
}

/** Bytes unchanged, or with CRLF line ends, or in pieces of `pieceSize` bytes, each its own packet. */
function writer(response, { crlf, pieceSize }) {
  return (content) => {
    const text = crlf && typeof content === 'string' ? content.replaceAll('\n', '\r\n') : content;
    if (!pieceSize) {
      response.write(text);
      return;
    }
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += pieceSize) {
      response.write(bytes.subarray(start, start + pieceSize));
    }
  };
}

module.exports = { play };
