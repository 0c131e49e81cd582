import { version } from '../connect.ts';
import { defineCommand } from '../define-command.ts';
import { usage } from '../failure.ts';
import { failureOf } from '../failure-of.ts';

export default defineCommand({
  name: 'mcp',
  heading: 'Organize',
  description: 'serve tools for an AI agent, none of which returns a value (Model Context Protocol)',
  example: 'holdfast mcp',
  notes: `
An agent starts it and speaks with it over standard input and output. Use a token for names only, which can't read
values either: holdfast tokens create agent --access names. A program that is run with its secrets can print them.`,
  run: async session => {
    if (process.stdin.isTTY) {
      throw usage(
        'An agent has to start this command, and speak with it over standard input and output.',
        'How to set one up: docs/use/agents.md',
      );
    }
    session.restrictToNames();
    // Standard output belongs to the protocol.
    session.silenceRetries();
    const { serve } = await import('../mcp/server.ts');
    await serve(session, { version, describe });
  },
});

/** Names what is wrong with a request, but nothing else of the details. */
function describe(error: unknown): string {
  const { code, message, hint, requestId, details } = failureOf(error);
  const problems = code === 'invalid_request' && Array.isArray(details) ? details : [];
  return [
    `${code}: ${message}`,
    ...problems.map(({ path, message: problem }: { path: string; message: string }) => `${path}: ${problem}`),
    // An agent is not told how to get more access.
    ...(hint === undefined || code === 'insufficient_scope' ? [] : [hint]),
    ...(requestId === undefined ? [] : [`Request ${requestId}`]),
  ].join('\n');
}
