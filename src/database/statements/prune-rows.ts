import { type EntityManager, type EntityTarget, type FindOptionsOrder, type FindOptionsWhere, In } from 'typeorm';

/** A row that belongs to a user. */
interface OwnRow {
  id: number;
  userId: number;
}

/**
 * Within `Database.write`: removes a user's oldest rows beyond the limit. Call it after each new row, so that there is
 * never much to remove.
 *
 * @param age the property that orders the rows by age
 * @returns whether any were removed
 */
export async function pruneRows<Row extends OwnRow>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  { userId, age, most }: { userId: number; age: keyof Row; most: number },
): Promise<boolean> {
  const beyond = await manager.find(entity, {
    where: { userId } as FindOptionsWhere<Row>,
    order: { [age]: 'DESC', id: 'DESC' } as FindOptionsOrder<Row>,
    skip: most,
    take: most,
  });
  if (beyond.length > 0) {
    await manager.delete(entity, { id: In(beyond.map(({ id }) => id)) });
  }
  return beyond.length > 0;
}
