import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Session } from '../session.ts';
import { type Tool, toolsOf } from './tools.ts';

/*
 * This module and what it imports are one text in the bundle (see `ownOnDemand` in bundle.ts). What the rest of the
 * command line imports too would be in it twice.
 */

const instructions =
  'Tools for the secrets of Holdfast by name: they list, check, plan, generate and propose. No tool returns a value, ' +
  'and none takes one. That is not a sandbox: a program that is run with its secrets (such as by `holdfast run`) can ' +
  'print them. Never ask people for a value, and never write one into a message.';

interface Serving {
  version: string;
  /** What to tell about an error, without details. */
  describe(error: unknown): string;
}

/** Serves the tools over standard input and output until the input ends. Calls in progress are still answered. */
export async function serve(session: Session, { version, describe }: Serving): Promise<void> {
  const server = new McpServer({ name: 'holdfast', version }, { instructions });
  for (const tool of toolsOf(session)) register(server, tool, describe);
  const ended = new Promise<void>(resolve => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  // A client that is gone reads no more answers.
  process.stdout.on('error', () => process.exit(0));
  await server.connect(new StdioServerTransport());
  await ended;
}

function register(
  server: McpServer,
  { name, description, input, isReading, call }: Tool,
  describe: Serving['describe'],
) {
  const annotations = { readOnlyHint: isReading, destructiveHint: !isReading, openWorldHint: false };
  server.registerTool(name, { description, inputSchema: input, annotations }, async given => {
    try {
      return { content: [{ type: 'text', text: JSON.stringify(await call(given as never), null, 1) }] };
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: describe(error) }] };
    }
  });
}
