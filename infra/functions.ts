import type { Uses } from '../lib/contracts/contract.ts';
import { documentationRoutes } from '../lib/contracts/documentation-routes.ts';
import { routes } from '../lib/contracts/routes.ts';
import { workers } from './workers.ts';

/** A Lambda function: its file is `functions/<area>/<name>.ts`, its bundle `dist/<name>/index.mjs`. */
export interface FunctionPlan {
  name: string;
  area: string;
  summary: string;
  uses: Uses;
  memoryMb: number;
  timeoutSeconds: number;
  /** Partitions it may write to, as patterns; any where it is not given. */
  writes?: readonly string[];
  /** Partitions it may touch at all, as patterns; any where it is not given. */
  touches?: readonly string[];
}

export interface RoutedFunctionPlan extends FunctionPlan {
  /** `GET /v1/…`, or `$default` for what no route matches. */
  routeKey: string;
}

/**
 * Lambda gives CPU by memory: at 512 MB a function has 0.29 vCPU, and one vCPU at 1,769 MB. Below 512 MB the few
 * milliseconds of JSON, zod and AES-GCM of a request, and above all a cold start, stretch by more than the price falls.
 */
const defaultMemoryMb = 512;

/** Enough for the store's own budget of retries under contention (22 s), and below API Gateway's 30 s. */
const defaultTimeoutSeconds = 29;

const documents = { uses: { table: [] }, memoryMb: 512, timeoutSeconds: 10 } as const;

/** Reads write nothing but audit entries and the caller's own session or token (kept fresh). */
const writesOfReads = ['AUDIT#*', 'USER#*'];

/** Every function behind the API, in the order of the routes. */
export const routedFunctions: readonly RoutedFunctionPlan[] = [
  ...routes.map(contract => ({
    name: contract.operationId,
    area: contract.area,
    summary: contract.summary,
    routeKey: `${contract.method} ${contract.path}`,
    uses: contract.uses,
    memoryMb: contract.sizing?.memoryMb ?? defaultMemoryMb,
    timeoutSeconds: contract.sizing?.timeoutSeconds ?? defaultTimeoutSeconds,
    ...(contract.method === 'GET' ? { writes: writesOfReads } : {}),
  })),
  ...documentationRoutes.map(({ operationId, area, method, path }) => ({
    name: operationId,
    area,
    summary: `Serve ${path}`,
    routeKey: `${method} ${path}`,
    ...documents,
  })),
  {
    name: 'unknown-route',
    area: 'system',
    summary: 'Answer what no route matches',
    routeKey: '$default',
    ...documents,
    memoryMb: 256,
  },
];

/** Every function of the system. */
export const functions: readonly FunctionPlan[] = [...routedFunctions, ...Object.values(workers)];
