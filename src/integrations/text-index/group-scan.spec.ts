import { GroupScan, type Step } from './group-scan';

const COLUMNS = { group: 'folder_id', place: 'place' };

/** Groups with these numbers of documents; ids start at 1. */
const groups = (...sizes: number[]) => sizes.map((documents, index) => ({ id: index + 1, documents }));

/** The reads of one step: groups, or documents of one group. */
const reads = ({ condition, parameters }: Step) =>
  `${condition.includes('place') ? 'at' : 'all of'} ${parameters.join()}`;

describe('a scan of documents', () => {
  let now = 0;

  beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));

  const scan = async (sizes: number[], milliseconds: number, found: (step: Step) => number[] = () => []) => {
    const steps: string[] = [];
    const result = await new GroupScan(COLUMNS, groups(...sizes)).run((step) => {
      now += milliseconds;
      steps.push(reads(step));
      return Promise.resolve(found(step));
    });
    return { steps, result };
  };

  it('reads short groups together, and long ones in parts', async () => {
    const { steps } = await scan([100, 50, 60, 0, 450, 10], 8);
    expect(steps).toEqual(['all of 1,2', 'all of 3,4', 'at 5,0,200', 'at 5,200,400', 'at 5,400', 'all of 6']);
  });

  it('leaves a group after a match', async () => {
    const { steps, result } = await scan([500, 900, 5], 8, ({ parameters }) =>
      parameters[0] === 2 && parameters[1] === 200 ? [2] : [],
    );
    expect(steps).toEqual(['at 1,0,200', 'at 1,200,400', 'at 1,400', 'at 2,0,200', 'at 2,200,400', 'all of 3']);
    expect(result).toEqual([2]);
  });

  it('takes shorter steps while they are slow, and longer ones while they are fast', async () => {
    const sizes = async (milliseconds: number) =>
      (await scan([10_000], milliseconds)).steps.slice(0, 6).map((step) => step.slice(5));
    expect(await sizes(50)).toEqual(['0,200', '200,300', '300,350', '350,375', '375,400', '400,425']);
    expect(await sizes(1)).toEqual(['0,200', '200,600', '600,1400', '1400,3000', '3000,5000', '5000,7000']);
  });

  it('reads nothing for nothing', async () => {
    expect(await scan([], 1)).toEqual({ steps: [], result: [] });
  });
});
