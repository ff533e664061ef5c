import { createHash } from 'node:crypto';
import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { characterStart } from '../../common/text/surrogate-pairs';
import { tokenCounting } from './cutting/count-tokens';
import { type CutPassage, cutText } from './cutting/cut-text';
import { DocumentFailure } from './document-failure';
import type { ParsedPassage, ParserMessage, ParserOutput, ParserTask } from './parser-messages';
import type { DocumentText } from './reading/document-text';
import { readDocument } from './reading/read-document';

/*
 * The process of `DocumentParser`: reads one file, cuts its text and ends. The file may attack the parsers, so it has no
 * network and may not write files or start programs, and a thread ends it when it takes too much memory.
 */

/** Most passages of a file. */
const MOST_PASSAGES = 50_000;

/** UTF-16 units of a piece of the text. */
const PIECE = 65_536;

/** Most passages of one message, and most UTF-16 units of their texts. */
const PASSAGES_AT_ONCE = 256;
const UNITS_AT_ONCE = 262_144;

/** Watches the whole process, because a parser may keep the main thread busy. */
const WATCH = `
const { writeSync } = require('node:fs');
const { workerData: { parent, memory } } = require('node:worker_threads');
setInterval(() => {
  const isTooLarge = process.memoryUsage.rss() > memory;
  if (isTooLarge) writeSync(2, 'MEMORY LIMIT');
  if (isTooLarge || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, 20);
`;

const [parent, memory] = process.argv.slice(2).map(Number);

closeNetwork();
new Worker(WATCH, { eval: true, workerData: { parent, memory } }).unref();
process.on('disconnect', () => process.exit());
void run();

function closeNetwork(): void {
  const refuse = (): never => {
    throw new Error('A parser has no network.');
  };
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  dgram.Socket.prototype.bind = refuse;
  dgram.Socket.prototype.send = refuse;
}

async function run(): Promise<void> {
  const [task] = (await once(process, 'message')) as [ParserTask];
  try {
    for await (const message of outputOf(task)) {
      await send(message);
    }
    await send({ kind: 'end' });
  } catch (error) {
    await send({ kind: 'fault', fault: error instanceof DocumentFailure ? error.fault : 'broken' });
  }
}

/** Resolves when the service requests the next message. */
async function send(message: ParserMessage): Promise<void> {
  const request = once(process, 'message');
  process.send?.(message);
  await request;
}

async function* outputOf(task: ParserTask): AsyncGenerator<ParserOutput> {
  const bytes = await standardInput();
  const document =
    task.kind === 'parse'
      ? await readDocument(bytes, task.filename)
      : { text: bytes.toString('utf8'), headings: task.headings, pages: task.pages };
  const { text, headings, pages } = document;
  yield { kind: 'parsed', length: text.length, bytes: Buffer.byteLength(text), headings, pages };
  if (task.kind === 'parse') {
    yield* piecesOf(text);
  }
  yield* passagesOf(document, task);
}

async function standardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function* piecesOf(text: string): Generator<ParserOutput> {
  let number = 0;
  for (let start = 0; start < text.length; number++) {
    const end = start + PIECE >= text.length ? text.length : characterStart(text, start + PIECE);
    yield { kind: 'piece', number, start, text: text.slice(start, end) };
    start = end;
  }
}

function* passagesOf(document: DocumentText, { rule }: ParserTask): Generator<ParserOutput> {
  let passages: ParsedPassage[] = [];
  let units = 0;
  let count = 0;
  for (const passage of cutText(document, rule, tokenCounting())) {
    if (++count > MOST_PASSAGES) {
      throw new DocumentFailure('too_much_text');
    }
    passages.push(withText(document.text, passage));
    units += passage.end - passage.start;
    if (passages.length === PASSAGES_AT_ONCE || units >= UNITS_AT_ONCE) {
      yield { kind: 'passages', passages };
      passages = [];
      units = 0;
    }
  }
  if (passages.length > 0) {
    yield { kind: 'passages', passages };
  }
}

function withText(text: string, passage: CutPassage): ParsedPassage {
  const own = text.slice(passage.start, passage.end);
  return { ...passage, text: own, hash: createHash('sha256').update(own).digest('hex') };
}
