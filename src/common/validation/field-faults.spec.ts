import { IsEnum, IsIn, validateSync } from 'class-validator';
import { validationMessage } from '../i18n/validation-message';
import { fieldFaults } from './field-faults';
import { VALIDATOR_OPTIONS } from './validator-options';

enum Colour {
  Red = 'red',
  Blue = 'blue',
}

class Body {
  @IsIn(['low', 'high'])
  effort = 'low';

  @IsEnum(Colour, { each: true })
  colours: string[] = [];

  @IsIn(Array.from({ length: 50 }, (_, index) => `v${index}`))
  one = 'v1';
}

class LargerBody extends Body {
  @IsIn(['a', 'b'])
  letter = 'a';
}

function sentenceFor(values: object): [string, string] {
  const [fault] = fieldFaults(validateSync(Object.assign(new Body(), values)));
  return [fault!.reason, validationMessage('en', fault!)];
}

describe('fieldFaults', () => {
  it.each([
    [{ effort: 'huge' }, '“effort” has a value that is not allowed. It must be one of: low, high.'],
    [{ colours: ['red', 'green'] }, '“colours” has a value that is not allowed. It must be one of: red, blue.'],
    [{ one: 'v50' }, '“one” has a value that is not allowed.'],
  ])('lists the allowed values for %j unless there are too many', (values, sentence) => {
    expect(sentenceFor(values)).toEqual(['not_allowed', sentence]);
  });

  it('names the faults of a class and its parents, each time', () => {
    const faultyFields = (body: Body): string[] =>
      fieldFaults(validateSync(Object.assign(body, { effort: 'huge', letter: 'c' }), VALIDATOR_OPTIONS))
        .map(({ field }) => field)
        .sort();
    for (let repetition = 0; repetition < 2; repetition++) {
      expect(faultyFields(new Body())).toEqual(['effort']);
      expect(faultyFields(new LargerBody())).toEqual(['effort', 'letter']);
    }
  });
});
