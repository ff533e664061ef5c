import { repeatConflicts } from './conflicts';

const failing = (code: string) => jest.fn(() => Promise.reject(Object.assign(new Error(code), { code })));

describe('a transaction that failed', () => {
  it.each(['ER_ERROR_DURING_COMMIT', 'PROTOCOL_CONNECTION_LOST'])(
    'is not run again after %s: nobody knows whether it was committed',
    async (code) => {
      const transact = failing(code);
      await expect(repeatConflicts(transact)).rejects.toThrow(code);
      expect(transact).toHaveBeenCalledTimes(1);
    },
  );
});
