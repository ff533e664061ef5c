import { OpenAI } from '../clients/openai';
import { uniqueContent } from '../support/chat-client';
import { lastResponse, ResponsesClient } from '../support/open-responses/responses-client';
import { useChatApp, useClient } from '../support/use-app';

const THOUGHTS = [{ type: 'reasoning_text', text: 'It may rain.' }];
const SUMMARY = [{ type: 'summary_text', text: 'It may rain.' }];

describe('reasoning', () => {
  const app = useChatApp();
  const user = useClient(app);
  let client: ResponsesClient;
  let input: string;

  beforeEach(async () => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
    input = uniqueContent('think');
    await app.model.script({
      key: input,
      steps: [{ reasoning: 'It may ' }, { reasoning: 'rain.' }, { text: 'Wait.' }],
    });
  });

  it.each([
    ['by a request without the setting', {}, 'auto', SUMMARY],
    ['by a request that wants it', { reasoning: { summary: 'detailed' } }, 'detailed', SUMMARY],
    ['not by one with an effort and without the setting', { reasoning: { effort: 'low' } }, null, []],
    ['not by one that does not want it', { reasoning: { summary: null } }, null, []],
  ])('is returned as a summary %s', async (_how, wish, shown, summary) => {
    const events = await client.stream({ input, ...wish });
    const response = lastResponse(events);
    expect(response.reasoning?.summary).toBe(shown);
    expect(response.output).toMatchObject([{ type: 'reasoning', content: THOUGHTS, summary }, { type: 'message' }]);
    expect(response.output[0]).toHaveProperty('summary', summary);
    const told = events.filter(({ type }) => type.startsWith('response.reasoning_summary'));
    expect(told.map(({ type }) => type.split('.')[1])).toEqual(
      summary.length === 0
        ? []
        : [
            'reasoning_summary_part',
            'reasoning_summary_text',
            'reasoning_summary_text',
            'reasoning_summary_text',
            'reasoning_summary_part',
          ],
    );
    expect(events.filter(({ type }) => type === 'response.reasoning.delta')).toHaveLength(2);
    expect(await client.join(response.id)).toEqual(events);
    expect(await client.join(response.id, 5)).toEqual(events.slice(6));
    expect(await client.get(response.id)).toEqual(response);
    // Lists of items contain everything.
    const { data } = await client.items(`/conversations/${response.conversation?.id}/items?order=asc`);
    expect(data[1]).toEqual({ ...response.output[0], summary: SUMMARY });
    expect(await client.create({ input, ...wish, store: false })).toMatchObject({ output: [{ summary }, {}] });
  });

  it("is sent to OpenAI's own package under OpenAI's names, with the same numbers", async () => {
    const openai = new OpenAI({ apiKey: user.token, baseURL: `${app.origin}/openai/v1` });
    const stream = openai.responses.stream({ model: 'General assistant', input });
    const events: { sequence_number: number; type: string }[] = [];
    stream.on('event', (event) => events.push(event));
    const { id, output_text } = await stream.finalResponse();
    expect(output_text).toBe('Wait.');
    const standard = await client.join(id);
    const names = (told: { sequence_number: number; type: string }[]): object[] =>
      told.map(({ sequence_number, type }) => ({ sequence_number, type }));
    const renamed = JSON.stringify(names(standard)).replaceAll('response.reasoning.', 'response.reasoning_text.');
    expect(names(events)).toEqual(JSON.parse(renamed));
    const again = openai.responses.stream({ response_id: id, starting_after: 5 });
    expect(await again.finalResponse()).toMatchObject({ id, output_text });
  });
});
