interface SharedRequest<T> {
  answer: Promise<T>;
  controller: AbortController;
  waiting: number;
}

/** Callers with the same id wait for one request. It is aborted only once every one of them has left. */
export function shareRequests<T>() {
  const open = new Map<string, SharedRequest<T>>();

  function begin(id: string, start: (signal: AbortSignal) => Promise<T>): SharedRequest<T> {
    const controller = new AbortController();
    const request = { answer: start(controller.signal), controller, waiting: 0 };
    open.set(id, request);
    const close = () => {
      if (open.get(id) === request) open.delete(id);
    };
    request.answer.then(close, close);
    return request;
  }

  return (id: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const request = open.get(id) ?? begin(id, start);
    request.waiting += 1;
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        reject(signal?.reason);
        request.waiting -= 1;
        if (request.waiting > 0) return;
        if (open.get(id) === request) open.delete(id);
        request.controller.abort(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      const stay = () => signal?.removeEventListener('abort', leave);
      request.answer.then(
        answer => {
          stay();
          resolve(answer);
        },
        error => {
          stay();
          reject(error);
        },
      );
    });
  };
}
