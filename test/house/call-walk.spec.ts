import { CallWalk } from './call-walk.js';
import { MadeUpProject } from './made-up-project';

/** A made-up project: a file for each thing that a walk may reach. */
const FILES = {
  'start.spec.ts': 'export class Start { calls() {} }',
  'nest.ts': 'export const Injectable = (): ClassDecorator => () => undefined;',
  'start.ts': `
    import { helper } from './helper';
    import { Sender } from './sender';
    import { TABLE } from './table';
    import { listener } from './listener';
    import { EntityA } from './entity';
    import type { Wire } from './wire';
    import { LIMIT } from './limit';
    import { marked } from './marked';
    import { Stream } from './stream';
    export class Start {
      constructor(private readonly sender: Sender) {}
      calls(): void { helper(); }
      injected(): void { this.sender.send(); }
      passes(): void { [1].forEach(listener); }
      asks(key: string): void { TABLE[key as 'one'](); }
      makes(): Stream { return new Stream(); }
      @marked() names(wire: Wire): unknown { return [EntityA, LIMIT, wire]; }
      branches(flag: boolean): void { if (!flag) return; const later = () => helper(); later(); }
    }`,
  'helper.ts': "import { deeper } from './deeper'; export function helper(): void { deeper(); }",
  'deeper.ts': 'export const deeper = (): void => undefined;',
  'sender.ts': `
    import { Injectable } from './nest';
    import { atStart } from './at-start';
    import { Port } from './port';
    import { Format } from './format';
    import { FormatA } from './format-a';
    import { Model } from './model';
    @Injectable() export class Sender {
      constructor(private readonly port: Port, private readonly model: Model) { atStart(); }
      send(): void { this.port.reach(); }
      writes(format: Format): void { new FormatA(); format.write(); }
      makesLater(format: Format): void { format.write(); new FormatA(); }
      asksModel(): void { this.model.ask(); }
    }`,
  'at-start.ts': 'export function atStart(): void {}',
  'port.ts': 'export abstract class Port { abstract reach(): void; }',
  'provided.ts': "import { Port } from './port'; export class Provided extends Port { reach(): void {} }",
  'other.ts': `
    import { Injectable } from './nest'; import { Port } from './port';
    @Injectable() export class Other extends Port { reach(): void {} }`,
  'module.ts': `
    import { Port } from './port'; import { Provided } from './provided';
    export const providers = [{ provide: Port, useClass: Provided }];`,
  'format.ts': 'export interface Format { write(): void; }',
  'format-a.ts': `
    import { Format } from './format'; import { written } from './written';
    export class FormatA implements Format { write(): void { written(); } }`,
  'written.ts': 'export function written(): void {}',
  'format-b.ts': "import { Format } from './format'; export class FormatB implements Format { write(): void {} }",
  'model.ts': 'export abstract class Model { abstract ask(): void; }',
  'model-a.ts': "import { Model } from './model'; export class ModelA extends Model { ask(): void {} }",
  'model-b.ts': "import { Model } from './model'; export class ModelB extends Model { ask(): void {} }",
  'table.ts': "import { row } from './row'; export const TABLE = { one: row, two: (): void => undefined };",
  'row.ts': 'export function row(): void {}',
  'listener.ts': 'export function listener(): void {}',
  'stream.ts': `
    import { Base } from './base';
    import { field } from './field';
    import { step } from './step';
    export class Stream extends Base { value = field(); *[Symbol.iterator](): Generator { step(); } }`,
  'base.ts': 'export class Base { constructor() {} }',
  'field.ts': 'export function field(): number { return 1; }',
  'step.ts': 'export function step(): void {}',
  'entity.ts': 'export class EntityA { id = 0; }',
  'wire.ts': 'export interface Wire { id: number }',
  'limit.ts': 'export const LIMIT = 10;',
  'marked.ts': 'export const marked = (): MethodDecorator => () => undefined;',
};

describe('the walk over calls', () => {
  let project: MadeUpProject;
  let source: ReturnType<MadeUpProject['source']>;
  let walk: InstanceType<typeof CallWalk>;

  beforeAll(() => {
    project = new MadeUpProject(FILES);
    source = project.source();
    walk = new CallWalk(source);
  });

  afterAll(() => project.remove());

  /** Without the file where it begins. */
  function reached(entry: string, adapters?: Record<string, string | null>): string[] {
    const [begin, ...others] = walk.filesFrom([entry], adapters).map(source.pathOf);
    expect(begin).toBe(`src/${entry.split('.')[0]!.toLowerCase()}.ts`);
    return others.map((file) => file.replace(/^src\//, '')).sort();
  }

  it.each([
    ['a function, and what it calls', 'Start.calls', ['deeper.ts', 'helper.ts']],
    ['every branch, and functions within a function', 'Start.branches', ['deeper.ts', 'helper.ts']],
    ['a function that is passed on', 'Start.passes', ['listener.ts']],
    ['all of a table with a computed key', 'Start.asks', ['row.ts', 'table.ts']],
    ['what making an object runs', 'Start.makes', ['base.ts', 'field.ts', 'step.ts', 'stream.ts']],
    [
      'of a port what is provided for it, and no constructor of a service',
      'Start.injected',
      ['provided.ts', 'sender.ts'],
    ],
    ['of an interface those who are made on the way', 'Sender.writes', ['format-a.ts', 'written.ts']],
    ['of an interface those who are made after its call', 'Sender.makesLater', ['format-a.ts', 'written.ts']],
    ['no type, constant, decorator and class that is only named', 'Start.names', []],
    ['of a port that the settings choose for, nothing', 'Sender.asksModel', []],
  ])('reaches %s', (_rule, entry, files) => {
    expect(reached(entry)).toEqual(files);
  });

  it('reaches the one adapter that is named', () => {
    expect(reached('Sender.asksModel', { Model: 'ModelB' })).toEqual(['model-b.ts']);
  });

  it('leaves out a port that is named with null', () => {
    expect(reached('Start.injected', { Port: null })).toEqual(['sender.ts']);
  });

  it('says which beginning it does not find', () => {
    expect(() => walk.filesFrom(['Start.nothing'])).toThrow('There is no Start.nothing');
  });
});
