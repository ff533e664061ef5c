import type { GroupDto } from 'chat-service-client';
import { api } from '../../app/api';
import { useLoad } from '../../app/use-load';

/** All groups, sorted by name; undefined while they load. */
export function useGroups(): GroupDto[] | undefined {
  return useLoad(async () => {
    const groups: GroupDto[] = [];
    for await (const group of api.admin.groups.list({ query: { size: 100 } })) groups.push(group);
    return groups;
  }, []).data;
}
