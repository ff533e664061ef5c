import type { ToolDto } from 'chat-service-client';
import { api } from '../../app/api';
import { type Loaded, useLoad } from '../../app/use-load';

/** All tools, sorted by name. */
export function useTools(): Loaded<ToolDto[]> {
  return useLoad(async () => {
    const tools: ToolDto[] = [];
    for await (const tool of api.admin.tools.list({ query: { size: 100 } })) tools.push(tool);
    return tools;
  }, []);
}
