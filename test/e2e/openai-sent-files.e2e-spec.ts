import { DocumentParser } from '../../src/integrations/document-parser/document-parser';
import { createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { docxOf, wordParagraph } from '../support/documents/office';
import { pdfOf } from '../support/documents/pdf';
import { expectOpenAiFailure } from '../support/openai-failure';
import { OpenAiKnowledge } from '../support/openai-knowledge';
import { useChatApp, useOwnTestApp } from '../support/use-app';

const MODEL = 'General assistant';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const WORD = docxOf(wordParagraph('The harbour is deep'));
const textOf = (name: string) => `[The text of the file ${name}:]\nThe harbour is deep`;
const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;

interface Reply {
  id: string;
  choices: { message: { content: string } }[];
  output: { content: { text: string }[] }[];
}

/** A request with a text and a file in both dialects. */
class FileSender extends OpenAiKnowledge {
  complete(text: string, file: object) {
    const content = [
      { type: 'text', text },
      { type: 'file', file },
    ];
    return this.send<Reply>('/chat/completions', { body: { model: MODEL, messages: [{ role: 'user', content }] } });
  }

  respond(text: string, part: object, more = {}) {
    const content = [{ type: 'input_text', text }, part];
    return this.send<Reply>('/responses', { body: { model: MODEL, input: [{ role: 'user', content }], ...more } });
  }
}

describe('a file in a request', () => {
  const app = useChatApp();
  let client: FileSender;

  beforeEach(async () => {
    client = new FileSender(app, await createUser(app));
  });

  /** The parts of the last message that the model got, after its text. */
  async function sentParts(text: string): Promise<object[]> {
    const requests = await app.model.requests(text);
    const parts = requests.at(-1)?.body.messages.at(-1)?.content ?? [];
    return (parts as object[]).slice(1);
  }

  it('is an upload that the model gets by its id', async () => {
    const pdf = pdfOf([['One page']]);
    const { id } = await client.upload({ name: 'plan.pdf', content: pdf });
    const sent = { type: 'file', file: { filename: 'plan.pdf', file_data: dataUrl('application/pdf', pdf) } };
    const [one, two] = [uniqueContent(), uniqueContent()];
    expect((await client.complete(one, { file_id: id })).status).toBe(200);
    expect(await sentParts(one)).toEqual([sent]);
    expect((await client.respond(two, { type: 'input_file', file_id: id })).status).toBe(200);
    expect(await sentParts(two)).toEqual([sent]);
  });

  it('is an image that the model gets by its id', async () => {
    const { id } = await client.upload({ name: 'a.png', content: PNG, fields: { purpose: 'vision' } });
    const text = uniqueContent();
    const part = { type: 'input_image', file_id: id, detail: 'low' };
    expect((await client.respond(text, part)).status).toBe(200);
    const url = dataUrl('image/png', PNG);
    expect(await sentParts(text)).toEqual([{ type: 'image_url', image_url: { url, detail: 'low' } }]);
  });

  it.each(['an upload', 'data'])('is sent as text under its name if no model accepts its format: %s', async (kind) => {
    const upload = await client.upload({ name: 'plan.docx', content: WORD });
    const file =
      kind === 'data' ? { file_data: WORD.toString('base64'), filename: 'plan.docx' } : { file_id: upload.id };
    const [one, two] = [uniqueContent(), uniqueContent()];
    expect((await client.complete(one, file)).status).toBe(200);
    const [completed] = await app.model.requests(one);
    expect(JSON.stringify(completed?.body.messages.at(-1)?.content)).toContain(
      JSON.stringify(textOf('plan.docx')).slice(1, -1),
    );
    const answered = await client.respond(two, { type: 'input_file', ...file });
    expect(answered.status).toBe(200);
    const next = uniqueContent();
    const continued = await client.send('/responses', {
      body: { model: MODEL, input: next, previous_response_id: answered.body.id },
    });
    expect(continued.status).toBe(200);
    const [request] = await app.model.requests(next);
    expect(JSON.stringify(request?.body.messages)).toContain(JSON.stringify(textOf('plan.docx')).slice(1, -1));
  });

  it('is part of the result of a call', async () => {
    const { id } = await client.upload({ name: 'plan.docx', content: WORD });
    const text = uniqueContent();
    const input = [
      { role: 'user', content: text },
      { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_file', file_id: id }] },
    ];
    expect((await client.send('/responses', { body: { model: MODEL, input, store: false } })).status).toBe(200);
    const [request] = await app.model.requests(text);
    expect(request?.body.messages.at(-1)).toMatchObject({ role: 'tool', content: textOf('plan.docx') });
  });

  it('must be readable for the caller', async () => {
    const foreign = await (await OpenAiKnowledge.of(app)).upload();
    for (const id of [foreign.id, 'file-999999', 'seven']) {
      const completion = await client.complete('Hello', { file_id: id });
      expectOpenAiFailure(completion, 404, 'FILE_NOT_FOUND', 'messages[0].content[1].file.file_id');
      for (const type of ['input_file', 'input_image']) {
        const response = await client.respond('Hello', { type, file_id: id });
        expectOpenAiFailure(response, 404, 'FILE_NOT_FOUND', 'input[0].content[1].file_id');
      }
    }
  });

  it.each([
    ['damaged', 'a.docx', WORD.subarray(0, 300), 'file_unreadable'],
    ['without text', 'a.docx', docxOf(''), 'file_unreadable'],
    [
      'an archive',
      'a.zip',
      Buffer.from('504b0506000000000000000000000000000000000000', 'hex'),
      'file_type_not_supported',
    ],
    ['an image', 'a.pdf', PNG, 'file_type_not_supported'],
  ])('is refused if it is %s', async (_kind, name, content, code) => {
    const { id } = await client.upload({ name, content });
    const refused = await client.complete('Hello', { file_id: id });
    const { message } = expectOpenAiFailure(refused, 400, code, 'messages[0].content[1].file.file_id');
    expect(code === 'file_unreadable' ? message : name).toContain(name);
  });
});

describe('a file for a model that accepts no files', () => {
  const app = useOwnTestApp();

  it('is sent as text, from an upload and from data, which is read once', async () => {
    const reading = jest.spyOn(app.app.get(DocumentParser), 'run');
    const client = new FileSender(app, await createUser(app));
    const pdf = pdfOf([['The harbour is deep']]);
    const { id } = await client.upload({ name: 'plan.pdf', content: pdf });
    const note = dataUrl('text/plain', Buffer.from('The harbour is deep'));
    for (const [file, name] of [
      [{ file_id: id }, 'plan.pdf'],
      [{ file_data: dataUrl('application/pdf', pdf), filename: 'plan.pdf' }, 'plan.pdf'],
      [{ file_data: note, filename: 'note.txt' }, 'note.txt'],
    ] as const) {
      const completion = await client.complete('Hello', file);
      expect(completion.status).toBe(200);
      expect(completion.body.choices[0]?.message.content).toContain(textOf(name));
      const response = await client.respond('Hello', { type: 'input_file', ...file });
      expect(response.body.output.at(-1)?.content[0]?.text).toContain(textOf(name));
    }
    // The upload, and the data.
    expect(reading).toHaveBeenCalledTimes(2);
  });

  it('is refused if it is a scan', async () => {
    const client = new FileSender(app, await createUser(app));
    const file = { file_data: dataUrl('application/pdf', pdfOf([[]])), filename: 'scan.pdf' };
    const refused = await client.complete('Hello', file);
    const { message } = expectOpenAiFailure(refused, 400, 'file_unreadable', 'messages[0].content[1].file.file_data');
    expect(message).toContain('scan.pdf');
  });
});
