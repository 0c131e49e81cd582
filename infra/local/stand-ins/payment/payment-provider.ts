import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { openDatabase } from '../../machine/data-directory.ts';
import { listenOnLoopback } from '../../machine/loopback.ts';
import { answerApi } from './api.ts';
import { startEventSender } from './events.ts';
import { PaymentError } from './form.ts';
import { answerPage } from './hosted-pages.ts';
import { idempotently } from './idempotency.ts';
import { newId, type Plans } from './objects.ts';
import type { PaymentState } from './state.ts';
import { openStore } from './store.ts';

const maximumFormBytes = 256 * 1024;

export interface PaymentProviderOptions {
  /** The bearer key that API calls must send. */
  secretKey: string;
  /** The key that signs events. */
  webhookSecret: string;
  /** The URL that receives events. */
  webhookUrl: string;
  plans: Plans;
}

export interface PaymentProvider {
  /** Base URL of its API and its hosted pages. */
  url: string;
  stop: () => Promise<void>;
}

/**
 * A stand-in for Stripe: the parts of its API that the service calls, its hosted checkout and portal as pages to click
 * through, and its signed events. It accepts unknown customers and subscriptions, because its own state may have been
 * lost after the service stored their ids.
 */
export async function startPaymentProvider(
  directory: string | undefined,
  options: PaymentProviderOptions,
): Promise<PaymentProvider> {
  const database = openDatabase(directory, 'payment-provider.db');
  const store = openStore(database);
  const events = startEventSender(database, { url: options.webhookUrl, secret: options.webhookSecret });
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const state: PaymentState = { store, events, url, plans: options.plans };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', url).pathname;
    try {
      const form = await readForm(request);
      if (path.startsWith('/v1/')) {
        const content = idempotently(store, { request, path, form }, () => {
          requireKey(request, options.secretKey);
          return answerApi(state, request.method ?? '', path.slice('/v1'.length), form);
        });
        respondJson(response, 200, content);
        return;
      }
      const result = await answerPage(state, request.method ?? '', path, form);
      if ('redirect' in result) response.writeHead(303, { location: result.redirect }).end();
      else respondHtml(response, result.found ? 200 : 404, result.html);
    } catch (error) {
      const refusal =
        error instanceof PaymentError ? error : new PaymentError(500, 'api_error', 'The stand-in has failed.');
      if (refusal !== error) console.error(error);
      respondJson(response, refusal.status, { error: refusal.content });
    }
  }

  return {
    url,
    async stop() {
      await events.stop();
      await new Promise(resolve => {
        server.close(resolve);
        server.closeAllConnections();
      });
      database.close();
    },
  };
}

function requireKey(request: IncomingMessage, secretKey: string): void {
  if (request.headers.authorization !== `Bearer ${secretKey}`) {
    throw new PaymentError(401, 'invalid_request_error', 'Invalid API key provided.');
  }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maximumFormBytes) throw new PaymentError(400, 'invalid_request_error', 'The request is too large.');
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

function respondJson(response: ServerResponse, status: number, content: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'request-id': newId('req') })
    .end(JSON.stringify(content));
}

function respondHtml(response: ServerResponse, status: number, html: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'cache-control': 'no-store',
    })
    .end(html);
}
