import { startReceiver } from './receiver.ts';

/** What the docker command takes for a daemon: it records the request for a container, and starts none. */
export async function startDockerDaemon() {
  const receiver = await startReceiver((response, { path }) => {
    response.setHeader('Api-Version', '1.50');
    response.setHeader('Content-Type', 'application/json');
    if (path.includes('/containers/create')) return response.writeHead(201).end('{"Id":"0123456789abcdef"}');
    return path.endsWith('/start') ? response.writeHead(204).end() : response.end('{}');
  });
  return {
    ...receiver,
    variables: { DOCKER_HOST: `tcp://127.0.0.1:${receiver.port}` },
    createdWith: (): string[] => {
      const created = receiver.received.find(({ path }) => path.includes('/containers/create'));
      return JSON.parse(created?.body.toString() ?? '').Env ?? [];
    },
  };
}
