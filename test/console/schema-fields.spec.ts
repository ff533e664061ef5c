import { answerOf, fieldsOf } from '../../console/src/components/acting/questions/schema-fields';
import { EntryError } from '../../console/src/components/form/faults';

jest.mock('../../console/src/app/i18n/locale-files', () => jest.requireActual<object>('./locale-files'));

const WORDS = { tooFew: 'too few', tooMany: 'too many' };

const SCHEMA = {
  type: 'object',
  properties: {
    who: { type: 'string', title: 'Who', description: 'A name.', minLength: 2, maxLength: 40, default: 'Ada' },
    mail: { type: 'string', format: 'email' },
    link: { type: 'string', format: 'uri' },
    day: { type: 'string', format: 'date' },
    time: { type: 'string', format: 'date-time' },
    size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'], default: 'l' },
    colour: { type: 'string', oneOf: [{ const: '#f00', title: 'Red' }] },
    seats: { type: 'integer', minimum: 1, maximum: 8, default: 2 },
    price: { type: 'number' },
    sure: { type: 'boolean', default: true },
    days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue', 'wed'] }, minItems: 1, maxItems: 2 },
    extras: { type: 'array', items: { anyOf: [{ const: 'w', title: 'Wifi' }] }, default: ['w'] },
    odd: 7,
  },
  required: ['who', 'sure', 'days'],
};

const entries = (values: Record<string, string | string[]>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) {
    [value].flat().forEach((one) => form.append(`arguments.${name}`, one));
  }
  return form;
};

describe('the form for a question', () => {
  const fields = fieldsOf(SCHEMA);
  const field = (name: string) => fields.find((one) => one.name === name);

  it('has an input for each type of field, with its limits and its default', () => {
    expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'who text',
      'mail email',
      'link url',
      'day date',
      'time datetime-local',
      'size choice',
      'colour choice',
      'seats integer',
      'price number',
      'sure boolean',
      'days choices',
      'extras choices',
      'odd text',
    ]);
    expect(field('who')).toMatchObject({
      label: 'Who',
      hint: 'A name.',
      isRequired: true,
      least: 2,
      most: 40,
      initial: 'Ada',
    });
    expect(field('mail')).toMatchObject({ label: 'mail', hint: undefined, isRequired: false });
    expect(field('seats')).toMatchObject({ least: 1, most: 8, initial: '2' });
    expect(field('sure')).toMatchObject({ initials: ['true'] });
    expect(field('size')?.choices).toEqual([
      { value: 's', label: 'Small' },
      { value: 'l', label: 'Large' },
    ]);
    expect(field('colour')?.choices).toEqual([{ value: '#f00', label: 'Red' }]);
    expect(field('days')).toMatchObject({ least: 1, most: 2 });
    expect(field('extras')).toMatchObject({ initials: ['w'], choices: [{ value: 'w', label: 'Wifi' }] });
    expect(fieldsOf({})).toEqual([]);
  });

  it('returns values of the right types, and omits empty fields', () => {
    const given = entries({
      who: 'Ada',
      mail: '',
      seats: '3',
      price: '1.5',
      days: ['mon', 'tue'],
      time: '2026-11-26T21:00',
    });
    expect(answerOf(fields, given, WORDS)).toEqual({
      who: 'Ada',
      seats: 3,
      price: 1.5,
      sure: false,
      days: ['mon', 'tue'],
      time: new Date('2026-11-26T21:00').toISOString(),
    });
    expect(answerOf(fields, entries({ who: 'Ada', sure: 'on', days: 'mon' }), WORDS)).toEqual({
      who: 'Ada',
      sure: true,
      days: ['mon'],
    });
  });

  it('reports too few and too many choices', () => {
    const faultOf = (values: Record<string, string | string[]>): unknown => {
      try {
        return answerOf(fields, entries(values), WORDS);
      } catch (error) {
        return error instanceof EntryError ? `${error.field}: ${error.message}` : error;
      }
    };
    expect(faultOf({ who: 'Ada' })).toBe('arguments.days: too few');
    expect(faultOf({ who: 'Ada', days: ['mon', 'tue', 'wed'] })).toBe('arguments.days: too many');
  });
});
