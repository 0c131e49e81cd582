/*
 * A CloudFront function (runtime 2.0) for requests to the API. It passes on the viewer's address, which the API can't
 * see otherwise, and overwrites any header of that name sent by the viewer.
 */
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it
function handler(event) {
  const request = event.request;
  request.headers['x-viewer-address'] = { value: event.viewer.ip };
  return request;
}
