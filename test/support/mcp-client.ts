import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

interface Command {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/** The official client, connected to a server that it starts. */
export async function startMcpClient({ command, args, env, cwd }: Command) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({ command, args: [...args], env: { ...env }, cwd, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', chunk => (stderr += chunk));
  await client.connect(transport);
  return {
    client,
    pid: () => transport.pid,
    stderr: () => stderr,
    /** What a tool answers, as text. */
    call: async (name: string, input: object = {}): Promise<{ text: string; isError: boolean }> => {
      const { content, isError = false } = await client.callTool({ name, arguments: { ...input } });
      const text = (content as { text: string }[]).map(part => part.text).join('\n');
      return { text, isError: isError === true };
    },
    stop: () => client.close(),
  };
}
