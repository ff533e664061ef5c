import * as v from 'valibot';
import { InvalidParameterError } from '../../errors/validation.errors';
import { validationMessage } from '../../i18n/validation-message';
import { SchemaPipe } from './schema.pipe';

const part = v.variant('type', [
  v.object({ type: v.literal('text'), text: v.string() }),
  v.object({ type: v.literal('image_url'), image_url: v.object({ url: v.string() }) }),
]);

const pipe = new SchemaPipe(
  v.object({
    model: v.pipe(v.string(), v.minLength(1), v.maxLength(5)),
    count: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9))),
    effort: v.nullish(v.picklist(['low', 'high'])),
    content: v.nullish(v.union([v.string(), v.pipe(v.array(part), v.minLength(1), v.maxLength(2))])),
    choice: v.nullish(v.union([v.picklist(['auto', 'none']), v.object({ name: v.string() })])),
    stop: v.nullish(v.union([v.pipe(v.string(), v.minLength(1)), v.array(v.string())])),
    even: v.nullish(
      v.pipe(
        v.number(),
        v.check((value) => value % 2 === 0, 'conflicts'),
      ),
    ),
  }),
);

function faultOf(body: unknown): unknown {
  try {
    return pipe.transform(body);
  } catch (error) {
    return error instanceof InvalidParameterError ? [error.faults[0].field, error.faults[0].reason] : error;
  }
}

function sentenceFor(body: unknown): string {
  try {
    pipe.transform(body);
  } catch (error) {
    return validationMessage('en', (error as InvalidParameterError).faults[0]);
  }
  throw new Error('The body was accepted.');
}

describe('SchemaPipe', () => {
  it('returns the properties in the schema, and drops the rest', () => {
    expect(faultOf({ model: 'm', other: 1, content: [{ type: 'text', text: 'a', more: 2 }] })).toEqual({
      model: 'm',
      content: [{ type: 'text', text: 'a' }],
    });
  });

  it.each([
    [{}, 'model', 'required'],
    [{ model: null }, 'model', 'required'],
    [{ model: 7 }, 'model', 'wrong_type'],
    [{ model: '' }, 'model', 'too_short'],
    [{ model: 'longer' }, 'model', 'too_long'],
    [{ model: 'm', count: 1.5 }, 'count', 'wrong_type'],
    [{ model: 'm', count: -1 }, 'count', 'too_small'],
    [{ model: 'm', count: 10 }, 'count', 'too_large'],
    [{ model: 'm', effort: 'huge' }, 'effort', 'not_allowed'],
    [{ model: 'm', content: 7 }, 'content', 'wrong_type'],
    [{ model: 'm', content: [] }, 'content', 'too_few_items'],
    [{ model: 'm', content: ['text'] }, 'content[0]', 'wrong_type'],
    [{ model: 'm', content: [{ type: 'text', text: 'a' }, {}] }, 'content[1].type', 'required'],
    [{ model: 'm', content: [{ type: 'sound' }] }, 'content[0].type', 'not_allowed'],
    [{ model: 'm', content: [{ type: 'image_url', image_url: {} }] }, 'content[0].image_url.url', 'required'],
    [{ model: 'm', content: [{ type: 'image_url', image_url: 'x' }] }, 'content[0].image_url', 'wrong_type'],
    [{ model: 'm', choice: 'maybe' }, 'choice', 'not_allowed'],
    [{ model: 'm', choice: 7 }, 'choice', 'wrong_type'],
    [{ model: 'm', choice: {} }, 'choice.name', 'required'],
    [{ model: 'm', stop: '' }, 'stop', 'too_short'],
    [{ model: 'm', stop: [7] }, 'stop[0]', 'wrong_type'],
    [{ model: 'm', even: 3 }, 'even', 'conflicts'],
    [[], 'model', 'required'],
    ['text', 'body', 'wrong_type'],
  ])('names the position and the rule of the error in %j: %s is %s', (body, field, reason) => {
    expect(faultOf(body)).toEqual([field, reason]);
  });

  it.each([
    [{ model: 'm', effort: 'huge' }, 'effort', 'low, high'],
    [{ model: 'm', content: [{ type: 'sound' }] }, 'content[0].type', 'text, image_url'],
    [{ model: 'm', choice: 'maybe' }, 'choice', 'auto, none'],
  ])('lists the allowed values for %j', (body, field, allowed) => {
    expect(sentenceFor(body)).toBe(`“${field}” has a value that is not allowed. It must be one of: ${allowed}.`);
  });
});
