import { repeatConflicts } from './conflicts';

const failing = (code: string) => jest.fn(() => Promise.reject(Object.assign(new Error(code), { code })));

describe('a failed transaction', () => {
  it.each(['ER_ERROR_DURING_COMMIT', 'PROTOCOL_CONNECTION_LOST'])(
    'is not run again after %s, because it may have been committed',
    async (code) => {
      const transact = failing(code);
      await expect(repeatConflicts(transact)).rejects.toThrow(code);
      expect(transact).toHaveBeenCalledTimes(1);
    },
  );

  it('is run again when the server rolled it back in COMMIT because of another transaction', async () => {
    const message = "Got error 149 - 'Lock deadlock; Retry transaction' during COMMIT";
    const taken = Object.assign(new Error(message), { code: 'ER_ERROR_DURING_COMMIT' });
    const transact = jest.fn().mockRejectedValueOnce(taken).mockResolvedValueOnce('done');
    await expect(repeatConflicts(transact)).resolves.toBe('done');
    expect(transact).toHaveBeenCalledTimes(2);
  });
});
