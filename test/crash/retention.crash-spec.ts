import { KilledSweeps } from '../support/retention-kills';

/** On each engine; `TEST_RETENTION_KILLS` and `TEST_RETENTION_CHATS` set other numbers. */
const KILLS = Number(process.env.TEST_RETENTION_KILLS ?? 100);
const CHATS = Number(process.env.TEST_RETENTION_CHATS ?? 10_000);

describe('retention in a service that is killed a hundred times', () => {
  it('loses nothing that is held, and leaves nothing that is due', async () => {
    const service = await KilledSweeps.start(CHATS);
    try {
      let duringSweeps = 0;
      for (let kills = 0; kills < KILLS; kills++) {
        duringSweeps += (await service.kill()) ? 1 : 0;
      }
      process.stdout.write(`${KILLS} kills, ${duringSweeps} of them during a sweep\n`);
      expect(await service.finish()).toEqual({
        heldChatsLost: 0,
        heldMessagesLost: 0,
        dueChatsLeft: 0,
        dueMessagesLeft: 0,
        heldShown: 0,
      });
      expect(duringSweeps).toBeGreaterThan(0);
    } finally {
      await service.close();
    }
  }, 7_200_000);
});
