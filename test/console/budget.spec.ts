import type { OwnBudgetDto } from 'chat-service-client';
import { BudgetState } from '../../console/src/pages/chat/state/budget';
import type { ChatEvent } from '../../console/src/pages/chat/state/chat-events';

jest.mock('../../console/src/app/i18n/locale-files', () => jest.requireActual<object>('./locale-files'));

const mockBudget = jest.fn();

jest.mock('../../console/src/app/api', () => ({
  get api() {
    return { usage: { budget: mockBudget } };
  },
}));

const LATER = new Date(Date.now() + 86_400_000).toISOString();

const own = (remaining: string, resets_at: string | null = LATER): OwnBudgetDto => ({
  scope: 'user',
  window: 'month',
  resets_at,
  limit: '10',
  spent: '0',
  reserved: '0',
  remaining,
});

const shared = (exhausted: boolean): OwnBudgetDto => ({
  scope: 'service',
  window: 'total',
  resets_at: null,
  exhausted,
});

describe('remaining budgets in the chat', () => {
  async function open(...budgets: OwnBudgetDto[]): Promise<BudgetState> {
    mockBudget.mockReset();
    mockBudget.mockResolvedValue(budgets);
    const listeners: ((event: ChatEvent) => void)[] = [];
    const events = {
      subscribe: (listener: (event: ChatEvent) => void) => listeners.push(listener),
      publish: (event: ChatEvent) => listeners.forEach((listener) => listener(event)),
    };
    const state = new BudgetState(events as never);
    await Promise.resolve();
    await Promise.resolve();
    return state;
  }

  it.each<[string, OwnBudgetDto[], string | undefined]>([
    ['shows nothing without budgets', [], undefined],
    ['shows nothing while a tenth is left', [own('1')], undefined],
    ['shows that less than a tenth is left', [own('0.999999999999')], 'low'],
    ['shows that nothing is left', [own('0')], 'used_up'],
    ['a shared one is not missed', [own('9'), shared(true)], 'shared_used_up'],
    ['an end comes before what is low', [own('0.5'), own('0')], 'used_up'],
    ['a shared one with something left is no news', [shared(false)], undefined],
  ])('%s', async (_name, budgets, expected) => {
    const { warning } = await open(...budgets);
    expect(warning.value?.kind).toBe(expected);
  });

  it('subtracts the cost of each reply, without a request', async () => {
    const state = await open(own('1.5'));
    state.spend('0.5');
    expect(state.warning.value).toBeNull();
    state.spend('0.000000000001');
    expect(state.warning.value).toEqual({ kind: 'low', resetsAt: LATER });
    state.spend('2');
    expect(state.warning.value?.kind).toBe('used_up');
    state.spend(null);
    state.spend(undefined);
    expect(mockBudget).toHaveBeenCalledTimes(1);
  });

  it('loads again once a budget has reset', async () => {
    const state = await open(own('0', new Date(Date.now() - 1).toISOString()));
    mockBudget.mockResolvedValue([own('10')]);
    state.spend('0.5');
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.warning.value).toBeNull();
    expect(mockBudget).toHaveBeenCalledTimes(2);
  });
});
