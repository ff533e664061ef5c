/** The MCP server SDK, which supports 2026-07-28. Import it from here, because it is installed in this folder only. */
export { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
export { z } from 'zod';
