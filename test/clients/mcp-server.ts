/** The SDK for servers of tools, which speaks 2026-07-28: from here, since it is installed in this folder only. */
export { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
export { z } from 'zod';
