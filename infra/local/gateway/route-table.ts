/** A route as the gateway needs it. The contracts in `lib/contracts/routes.ts` fit. */
export interface Route {
  operationId: string;
  area: string;
  method: string;
  path: string;
}

export interface RouteMatch<R extends Route> {
  route: R;
  pathParameters: Record<string, string>;
}

interface Node<R> {
  fixed: Map<string, Node<R>>;
  parameter?: Node<R>;
  route?: R;
}

/**
 * Finds the route of a request like API Gateway: the method and every segment must match, and a fixed segment takes
 * precedence over a parameter. The path is matched as sent and its segments are decoded afterwards, so `%2F` never
 * splits one. A path that cannot be decoded matches no route.
 */
export function createRouteTable<R extends Route>(
  routes: readonly R[],
): (method: string, rawPath: string) => RouteMatch<R> | undefined {
  const roots = new Map<string, Node<R>>();
  for (const route of routes) {
    let node = childOf(roots, route.method);
    for (const segment of segmentsOf(route.path)) {
      if (segment.startsWith('{')) node = node.parameter ??= { fixed: new Map() };
      else node = childOf(node.fixed, segment);
    }
    node.route = route;
  }
  return (method, rawPath) => {
    const root = roots.get(method);
    const segments = segmentsOf(rawPath);
    const route = root && find(root, segments, 0);
    if (route === undefined) return undefined;
    try {
      const names = segmentsOf(route.path);
      const pairs = segments.flatMap((segment, index) => {
        const name = names[index];
        return name?.startsWith('{') ? [[name.slice(1, -1), decodeURIComponent(segment)]] : [];
      });
      return { route, pathParameters: Object.fromEntries(pairs) };
    } catch {
      return undefined;
    }
  };
}

function find<R>(node: Node<R>, segments: readonly string[], index: number): R | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.route;
  const fixed = node.fixed.get(segment);
  return (
    (fixed && find(fixed, segments, index + 1)) ??
    (node.parameter && segment !== '' ? find(node.parameter, segments, index + 1) : undefined)
  );
}

function childOf<R>(nodes: Map<string, Node<R>>, name: string): Node<R> {
  const existing = nodes.get(name);
  if (existing !== undefined) return existing;
  const node: Node<R> = { fixed: new Map() };
  nodes.set(name, node);
  return node;
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}
