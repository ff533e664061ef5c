import { messageOfItem, readApprovalId, readConversationId, readResponseId, responseId } from './wire-ids';

describe('wire IDs', () => {
  it('identify rows', () => {
    expect(readConversationId('conv_2147483647')).toBe(2_147_483_647);
    expect([0, 1].map((number) => readResponseId(responseId(7, number)))).toEqual([
      { messageId: 7, number: 0 },
      { messageId: 7, number: 1 },
    ]);
    expect(readApprovalId('mcpr_7_0')).toEqual({ messageId: 7, number: 0 });
    expect(['msg_7', 'msg_7_1', 'rs_7_0', 'fc_7_12', 'fco_7_0'].map(messageOfItem)).toEqual([7, 7, 7, 7, 7]);
  });

  it.each([
    '',
    'resp_',
    'resp_0',
    'resp_01',
    'resp_-7',
    'resp_7 ',
    'conv_7',
    'resp_2147483648',
    'resp_7\n',
    'RESP_7',
    'resp_7_0',
    'resp_7_01',
  ])('match nothing else: %j', (id) => {
    expect(readResponseId(id)).toBeNull();
    expect(messageOfItem(id)).toBeNull();
  });
});
