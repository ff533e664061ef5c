import { messageOfItem, readWireId } from './wire-ids';

describe('ids on the wire', () => {
  it('name rows', () => {
    expect([readWireId('resp', 'resp_7'), readWireId('conv', 'conv_2147483647')]).toEqual([7, 2_147_483_647]);
    expect(['msg_7', 'msg_7_1', 'rs_7_0', 'fc_7_12', 'fco_7_0'].map(messageOfItem)).toEqual([7, 7, 7, 7, 7]);
  });

  it.each(['', 'resp_', 'resp_0', 'resp_01', 'resp_-7', 'resp_7 ', 'conv_7', 'resp_2147483648', 'resp_7\n', 'RESP_7'])(
    'are nothing else: %j',
    (id) => {
      expect(readWireId('resp', id)).toBeNull();
      expect(messageOfItem(id)).toBeNull();
    },
  );
});
