import { Type } from 'class-transformer';
import {
  getMetadataStorage,
  IsEmail,
  IsInt,
  IsOptional,
  Length,
  Max,
  ValidateNested,
  validateSync,
} from 'class-validator';
import { rememberRules } from './remembered-rules';

class Part {
  @IsInt()
  amount: number;
}

class Base {
  @Length(2, 5)
  name: string;

  @IsInt()
  age: number;
}

class Extended extends Base {
  /** Has another limit than in `Base`. */
  @Length(2, 9)
  declare name: string;

  @IsEmail()
  email: string;
}

class Whole {
  @ValidateNested()
  @Type(() => Part)
  part: Part;

  @IsOptional()
  @ValidateNested({ each: true })
  others?: Part[];
}

const make = <Made extends object>(type: new () => Made, values: object): Made => Object.assign(new type(), values);

const faultsOf = (object: object): string[] =>
  validateSync(object).flatMap(({ property, constraints, children = [] }) => [
    ...Object.keys(constraints ?? {}).map((rule) => `${property} ${rule}`),
    ...children.flatMap((child) => [child.property, ...(child.children ?? []).map((one) => one.property)]),
  ]);

describe('remembered rules', () => {
  const storage = getMetadataStorage();
  const original = storage.getTargetValidationMetadatas;
  let find: jest.SpyInstance;

  beforeEach(() => {
    storage.getTargetValidationMetadatas = original;
    find = jest.spyOn(storage, 'getTargetValidationMetadatas');
    rememberRules();
  });

  afterEach(() => {
    storage.getTargetValidationMetadatas = original;
  });

  it('are those of the class, and those that it inherits and does not change', () => {
    for (let time = 0; time < 3; time++) {
      expect(faultsOf(make(Extended, { name: 'a', age: 1.5, email: 'no' }))).toEqual([
        'name isLength',
        'email isEmail',
        'age isInt',
      ]);
      expect(faultsOf(make(Extended, { name: 'seven..', age: 1, email: 'a@example.com' }))).toEqual([]);
      expect(faultsOf(make(Base, { name: 'seven..', age: 1 }))).toEqual(['name isLength']);
    }
  });

  it('are checked in nested objects', () => {
    for (let time = 0; time < 3; time++) {
      expect(faultsOf(make(Whole, { part: make(Part, { amount: 1 }) }))).toEqual([]);
      expect(faultsOf(make(Whole, { part: make(Part, { amount: 'x' }) }))).toEqual(['amount']);
      const others = [make(Part, { amount: 1 }), make(Part, { amount: null })];
      expect(faultsOf(make(Whole, { part: make(Part, { amount: 1 }), others }))).toEqual(['1', 'amount']);
    }
  });

  it('are looked up once for each class, also for a nested one, and for one without rules', () => {
    class Empty {}
    class Late {
      @Max(3)
      size: number;
    }
    for (let time = 0; time < 3; time++) {
      faultsOf(make(Base, {}));
      faultsOf(make(Late, { size: 1 }));
      faultsOf(make(Empty, {}));
      faultsOf(make(Whole, { part: make(Part, { amount: time }) }));
    }
    const classes = find.mock.calls.map(([type]) => type as unknown);
    expect(new Set(classes)).toEqual(new Set([Base, Late, Empty, Whole, Part]));
    expect(classes).toHaveLength(5);
  });

  it('are looked up each time for groups, which decide what is found', () => {
    for (let time = 0; time < 2; time++) {
      expect(storage.getTargetValidationMetadatas(Base, '', false, false, ['some group'])).toEqual([]);
      expect(storage.getTargetValidationMetadatas(Base, '', false, false)).toHaveLength(2);
    }
    expect(find).toHaveBeenCalledTimes(3);
  });
});
